"""The commands in the fenced blocks of a document."""

import dataclasses
import re
import subprocess

# Blocks of commands, and those of other languages, which nobody types into a shell.
COMMANDS, OTHERS = {"sh", "console"}, {"", "html", "ini", "js", "nginx", "promql", "yaml"}

FENCE = re.compile(r"^( *)```(\w*) *$")


class Faulty(Exception):
    """A document that cannot be read as it should be."""


@dataclasses.dataclass(frozen=True)
class Command:
    """Something to type into a shell, without the comment behind it."""

    document: str
    line: int
    text: str
    # What the document shows that it prints; None when it shows nothing of that.
    shown: str | None

    def __str__(self):
        return f"{self.document}:{self.line}: {self.text}"


def commands(document, text):
    """All commands of a document, in order."""
    return [
        command for line, language, body in fenced(document, text) for command in parse(document, line, language, body)
    ]


def fenced(document, text):
    """The blocks: the number of their first line, their language, their lines."""
    start, indent, language, body = 0, 0, "", []
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if not start and line.lstrip().startswith("```"):
            if not fence or fence[2] not in COMMANDS | OTHERS:
                raise Faulty(f"{document}:{number}: a block of an unknown kind: {line.strip()}")
            start, indent, language, body = number + 1, len(fence[1]), fence[2], []
        elif start and fence and not fence[2]:
            yield start, language, body
            start = 0
        elif start:
            body.append(line[indent:])
    if start:
        raise Faulty(f"{document}:{start}: a block without an end")


def parse(document, first, language, lines):
    """The commands of one block."""
    if language not in COMMANDS:
        return
    shows, index = language == "console", 0
    while index < len(lines):
        line, number = lines[index], first + index
        index += 1
        if shows and not line.startswith("$ "):
            raise Faulty(f"{document}:{number}: neither a command nor what one prints: {line}")
        text = line[2:] if shows else line
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        while not complete(text):
            if index == len(lines):
                raise Faulty(f"{document}:{number}: a command without an end")
            text += "\n" + lines[index]
            index += 1
        shown = None
        if shows:
            end = next((at for at in range(index, len(lines)) if lines[at].startswith("$ ")), len(lines))
            shown = "\n".join(lines[index:end]).rstrip("\n")
            index = end
        yield Command(document, number, without_comment(text), shown)


def complete(text):
    """Whether a shell would begin to work, or wait for more lines."""
    if text.endswith("\\"):
        return False
    shell = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
    return shell.returncode == 0 and "here-document" not in shell.stderr


def without_comment(text):
    """A command without the remark behind two spaces at its end, which is said to people."""
    text = text.rstrip()
    for remark in re.finditer(r"  +# ", text):
        command = text[: remark.start()]
        if command.count("'") % 2 == command.count('"') % 2 == 0:
            return command
    return text
