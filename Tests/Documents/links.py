"""Whether the links between documents lead somewhere."""

import re
import urllib.parse

# Whatever its text is, also a picture with a target of its own.
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *#* *$")


def findings(project, document, text):
    """The relative links of a document that lead to no file, or to no heading in one."""
    folder = (project / document).parent
    for number, line in enumerate(prose(text), 1):
        for target in LINK.findall(line):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = folder / urllib.parse.unquote(path) if path else project / document
            if not file.exists():
                yield f"{document}:{number}: there is no {target}"
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
                yield f"{document}:{number}: {file.name} has no heading #{anchor}"


def prose(text):
    """The lines of a document, without its blocks and what stands as code in a line."""
    return [re.sub(r"`[^`]*`", "code", line) for line in unblocked(text)]


def unblocked(text):
    """The lines of a document, those of its blocks empty."""
    inside = False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        inside ^= fence
        yield "" if inside or fence else line


def anchors(text):
    """What headings are called in links, as GitHub and others make it."""
    found = set()
    for line in unblocked(text):
        if heading := HEADING.match(line):
            name = re.sub(r"[^\w\- ]", "", heading[1].lower()).replace(" ", "-")
            again = sum(1 for other in found if re.fullmatch(rf"{re.escape(name)}(-\d+)?", other))
            found.add(f"{name}-{again}" if again else name)
    return found
