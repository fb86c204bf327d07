"""The commands that are not run, each with its reason, and what is held of them instead."""

import dataclasses
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable

from Documents.world import PROJECT


@dataclasses.dataclass(frozen=True)
class Untried:
    """Commands of a document that are not run."""

    document: str
    # What the whole command looks like.
    pattern: str
    # Why it is not run, and what covers it.
    reason: str
    # Says what is wrong with a command nevertheless, or returns None.
    fault: Callable[[str], str | None] = lambda text: None

    def covers(self, command):
        return command.document == self.document and re.fullmatch(self.pattern, command.text, re.DOTALL) is not None


# --- What is held instead ---------------------------------------------------------------------------------------------
def make_fault(text):
    """Of `make TARGET ARGS="…"`: that `make help` lists the target, and that tests and parts it names are there."""
    _, target, *arguments = shlex.split(text)
    if not re.search(rf"^{target}:.*## ", (PROJECT / "Makefile").read_text(), re.MULTILINE):
        return f"`make help` lists no {target}"
    for argument in arguments:
        handed_on = shlex.split(argument.removeprefix("ARGS="))
        if target == "bench" and (fault := bench_fault(handed_on)):
            return fault
        if target == "test" and handed_on[0] == "--filter":
            for name in handed_on[1].split("|"):
                if not has_tests(name):
                    return f"no test is called {name}"
    return None


def has_tests(name):
    """Whether a target of tests, or a type in one, has this name."""
    if (PROJECT / "Tests" / name).is_dir():
        return True
    declared = re.compile(rf"\b(struct|class) {name}\b")
    return any(declared.search(file.read_text()) for file in (PROJECT / "Tests").rglob("*.swift"))


def bench_fault(arguments):
    """Of what the bench is given: that it has the part, and that has the options."""
    if not (PROJECT / "bench/parts" / f"{arguments[0].replace('-', '_')}.py").exists():
        return f"the bench has no part {arguments[0]}"
    called = subprocess.run(
        [sys.executable, "-B", "bench/run.py", arguments[0], "--help"], cwd=PROJECT, capture_output=True, text=True
    )
    unknown = [word for word in arguments[1:] if word.startswith("--") and word not in called.stdout]
    return f"the bench does not know {', '.join(unknown)}" if unknown else None


def script_fault(text):
    """Of a script of ours: that it is there, and can be run."""
    script = PROJECT / text.split()[0]
    return None if os.access(script, os.X_OK) else f"there is no {script.name}"


def browser_fault(text):
    """Of a run of tests in the browser: that the subject is there, and the class and the test in it."""
    subject, *names = text.split()[-1].split(".")
    file = PROJECT / "Tests/Browser/subjects" / f"{subject}.py"
    source = file.read_text() if file.exists() else ""
    missing = [name for name in names if not re.search(rf"(class|def) {name}\b", source)]
    return None if source and not missing else f"there is no {'.'.join([subject, *names])}"


# --- The table --------------------------------------------------------------------------------------------------------
BUILDS = "builds and runs for minutes, and this test may be part of it"
UNTRIED = [
    Untried("README.md", r"make (run|test)", BUILDS, make_fault),
    Untried("README.md", r"podman .*", "needs a store of images, and builds for minutes: see Scripts/container-test.sh"),
    Untried("packaging/README.md", r"make build", BUILDS, make_fault),
    Untried("packaging/README.md", r"sudo .*", "changes the machine"),
    Untried("CONTRIBUTING.md", r"make (setup|run|test|container-test|soak|browser|fuzz|docs)( .*)?", BUILDS, make_fault),
    Untried(
        "CONTRIBUTING.md",
        r"\w+=\d+ make (test|soak|fuzz)( .*)?",
        BUILDS,
        lambda text: make_fault(text.split(" ", 1)[1]),
    ),
    Untried("CONTRIBUTING.md", r"Scripts/fuzz\.sh .*", "needs a build with libFuzzer, and a finding", script_fault),
    Untried("CONTRIBUTING.md", r"PYTHONPATH=Tests \S+ -m Browser .*", "BrowserTests runs all subjects", browser_fault),
    Untried("CONTRIBUTING.md", r"SCHEMATHESIS_HOOKS=.*", "ContractTests does that with all operations"),
    Untried("CONTRIBUTING.md", r"PYTHONPATH=Tests python3 -m Documents( .*)?", "this is it"),
    Untried(
        "bench/README.md", r"make bench( .*)?", "measures for minutes, on a machine that does nothing else", make_fault
    ),
]


# --- Streams ----------------------------------------------------------------------------------------------------------
# `curl -N` never ends: it is cut when all is there that the document shows. The request makes the event that is shown.
STREAMS = {
    ("README.md", "curl -N localhost:8080/v1/events"): ("PUT", "/v1/news/1/likes/grace"),
}
