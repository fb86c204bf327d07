"""Holds documents, those named on the command line or all, against the project; exit status 1 when one is wrong."""

import sys
import time

from Documents import facts, links, trying
from Documents.blocks import Faulty, commands
from Documents.untried import STREAMS, UNTRIED
from Documents.world import PROJECT

# Those with commands for people, and those that only have links.
TRIED = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "Documentation/*.md", "bench/README.md", "packaging/*.md"]
TRIED += ["Tests/**/*.md"]
LINKED = ["CHANGELOG.md", "bench/RESULTS.md"]


def documents(patterns):
    """The names of documents, from the project's folder on."""
    return [str(file.relative_to(PROJECT)) for pattern in patterns for file in sorted(PROJECT.glob(pattern))]


def stale(found):
    """The entries of the tables that no document needs any more."""
    for entry in UNTRIED:
        if not any(entry.covers(command) for command in found):
            yield f"untried.py: {entry.document} has no command `{entry.pattern}` any more"
    for key in STREAMS:
        if not any((command.document, command.text) == key for command in found):
            yield f"untried.py: {key[0]} has no command `{key[1]}` any more"


def check(names):
    """All findings in some documents."""
    found = []
    for name in names:
        text = (PROJECT / name).read_text()
        yield from links.findings(PROJECT, name, text)
        try:
            its_own = commands(name, text)
        except Faulty as fault:
            yield str(fault)
            continue
        found += its_own
        yield from trying.findings(its_own, UNTRIED, STREAMS)
    print(f"{len(found)} commands in {len(names)} documents")
    if names == documents(TRIED):
        yield from stale(found)
        yield from facts.findings(PROJECT)
        for name in documents(LINKED):
            yield from links.findings(PROJECT, name, (PROJECT / name).read_text())


def main():
    begun, count = time.monotonic(), 0
    for finding in check(sys.argv[1:] or documents(TRIED)):
        count += 1
        print(f"{finding}\n", flush=True)
    print(f"{count} findings, {time.monotonic() - begun:.1f} s")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
