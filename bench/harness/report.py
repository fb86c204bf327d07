"""Tables of medians, and the file that they go to."""
import itertools
import os
import re
import statistics

HEAD = """# Measured

Written by `make bench`; [README.md](README.md) says what is measured and how to repeat one part. Figures are medians of the
rounds, in brackets the smallest and the largest.
"""


def number(value, digits):
    return f"{value:,.{digits}f}"


def spread(values, digits=0):
    """The median, with the smallest and the largest when there is more than one."""
    values = list(values)
    if not values:
        return ""
    if len(values) == 1:
        return number(values[0], digits)
    smallest, largest = number(min(values), digits), number(max(values), digits)
    return f"{number(statistics.median(values), digits)} ({smallest} – {largest})"


def median(values, digits=0):
    values = list(values)
    return number(statistics.median(values), digits) if values else ""


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


TARGET_HEADS = ["work", "target", "measured", "met?"]
SUMMARY = "Targets"


def at_least(work, target, values, digits=2, unit=""):
    """A row of the targets: the median of the values has to be so much or more."""
    return target_row(work, "≥", target, values, digits, unit, lambda median: median / target - 1)


def at_most(work, target, values, digits=2, unit=""):
    return target_row(work, "≤", target, values, digits, unit, lambda median: 1 - median / target)


def target_row(work, sign, target, values, digits, unit, margin_of):
    values = list(values)
    if not values:
        return [work, f"{sign} {target:,g}{unit}", "", "not measured"]
    margin = margin_of(statistics.median(values))
    met = f"yes, by {100 * margin:.0f} %" if margin >= 0 else f"**no, by {-100 * margin:.0f} %**"
    return [work, f"{sign} {target:,g}{unit}", spread(values, digits) + unit, met]


def targets(rows):
    """What a section says of its targets; the summary of all sections is made of these tables."""
    return f"### Targets\n\n{table(TARGET_HEADS, rows)}"


def summary_of(sections):
    head = "| " + " | ".join(TARGET_HEADS) + " |"
    rows = []
    for title, text in sections.items():
        lines = iter(text.splitlines())
        if head in lines:
            next(lines)
            rows += [[title, *line.strip("| ").split(" | ")] for line in itertools.takewhile(str.strip, lines)]
    return table(["part", *TARGET_HEADS], rows) if rows else ""


def write_section(path, title, text, order):
    """Puts the section into the file, in place of the one with that title, and makes the summary anew."""
    sections = {}
    if os.path.exists(path):
        with open(path) as file:
            for section in re.split(r"^## ", file.read(), flags=re.MULTILINE)[1:]:
                sections[section.partition("\n")[0]] = section.partition("\n")[2].strip()
    sections[title] = text.strip()
    sections.pop(SUMMARY, None)
    if summary := summary_of(sections):
        sections[SUMMARY] = summary
    # What the order does not know goes last.
    places = {title: place for place, title in enumerate([SUMMARY, *order])}
    sections = dict(sorted(sections.items(), key=lambda section: places.get(section[0], len(places))))
    temporary = f"{path}.new"
    with open(temporary, "w") as file:
        file.write("\n".join([HEAD, *(f"## {title}\n\n{text}\n" for title, text in sections.items())]))
    os.replace(temporary, path)
