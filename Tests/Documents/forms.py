"""Whether what was printed has the form that a document shows."""

import re

# What differs from one run to the next, and by what it is recognized. All else has to be the same, sequences included:
# who follows a document from its beginning sees what it shows.
VARYING = [
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "(time)"),
    (re.compile(r"\b[0-9a-f]{16}\.\d+\b"), "(place)"),
    (re.compile(r"\b\d+(\.\d+)? m?s\b"), "(duration)"),
]


def form(text):
    """A text, with names for what varies."""
    for pattern, name in VARYING:
        text = pattern.sub(name, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def matches(shown, printed):
    """Whether both are of one form; `…` in what is shown stands for anything."""
    pattern = ".*".join(re.escape(part) for part in form(shown).split("…"))
    return re.fullmatch(pattern, form(printed), re.DOTALL) is not None
