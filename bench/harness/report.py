"""Tables of medians, and the file that they go to."""
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


def write_section(path, title, text):
    """Puts the section into the file, in place of the one with that title."""
    sections = {}
    if os.path.exists(path):
        with open(path) as file:
            for section in re.split(r"^## ", file.read(), flags=re.MULTILINE)[1:]:
                sections[section.partition("\n")[0]] = section.partition("\n")[2].strip()
    sections[title] = text.strip()
    temporary = f"{path}.new"
    with open(temporary, "w") as file:
        file.write("\n".join([HEAD, *(f"## {title}\n\n{text}\n" for title, text in sections.items())]))
    os.replace(temporary, path)
