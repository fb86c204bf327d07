"""What stands in two places, and has to be the same in both."""

import re
import subprocess

from Browser.server import BINARY, Server
from Documents.links import unblocked

OPERATIONS, ALERTS = "Documentation/operations.md", "packaging/prometheus-alerts.yaml"

EVENT = re.compile(r'\b(?:entry|write|line)\(\s*\.(info|warning|error),\s*"(\w+)"')
# A row of a table whose first cell is one name in code.
ROW = re.compile(r"^\| `(\w+)(?:\{[^`]*\})?` \|(?: (info|warning|error) \|)?")
# Flags of other programs, and what only looks like one.
OTHERS = {"--like-color", "--ulimit", "--read-only"}
METRIC = re.compile(r"\b(?:likesd|process)_[a-z_]+")


def findings(project):
    """All that is not the same."""
    document = (project / OPERATIONS).read_text()
    sources = "\n".join(file.read_text() for file in (project / "Sources").rglob("*.swift"))
    alerts = (project / ALERTS).read_text()
    yield from event_findings(sources, rows(document, "Log events"))
    yield from alert_findings(alerts, rows(document, "Alerts"), rows(document, "Metrics"))
    yield from figure_findings((project / "README.md").read_text(), (project / "bench/RESULTS.md").read_text())
    command = subprocess.run([BINARY, "help"], capture_output=True, text=True, check=True).stdout
    contract = (project / "openapi.yaml").read_text()
    yield from metric_findings(metrics(), rows(document, "Metrics"))
    for name in ["README.md", OPERATIONS, "Documentation/limits.md"]:
        yield from name_findings(name, (project / name).read_text(), command, contract)


def section(document, heading):
    """The lines below a heading, up to the next one."""
    below = re.split(rf"^#+ {heading}$", document, maxsplit=1, flags=re.MULTILINE)[-1]
    return re.split(r"^#+ ", below, maxsplit=1, flags=re.MULTILINE)[0].splitlines()


def rows(document, heading):
    """The names in the tables below a heading, with the level where there is one."""
    return {row[1]: row[2] for row in map(ROW.match, section(document, heading)) if row}


def event_findings(sources, listed):
    """The events that the server logs, and those of the document."""
    written = {name: level for level, name in EVENT.findall(sources)}
    for name in sorted(written.keys() | listed.keys()):
        if name not in listed:
            yield f"{OPERATIONS}: the log event {name} is missing"
        elif name not in written:
            yield f"{OPERATIONS}: nothing logs {name}"
        elif written[name] != listed[name]:
            yield f"{OPERATIONS}: {name} is logged as {written[name]}"


def alert_findings(alerts, listed, metrics):
    """The alerts of the file, those of the document, and the metrics that they speak of."""
    named = set(re.findall(r"^ +- alert: (\w+)$", alerts, re.MULTILINE))
    for name in sorted(named ^ set(listed)):
        yield f"{OPERATIONS if name in named else ALERTS}: the alert {name} is missing"
    for metric in sorted(set(METRIC.findall("\n".join(expressions(alerts))))):
        if metric not in metrics and re.sub("_(bucket|sum|count)$", "", metric) not in metrics:
            yield f"{ALERTS}: {OPERATIONS} knows no metric {metric}"


def metrics():
    """What a server of its own shows after some requests, as text."""
    server = Server(durable=True)
    server.start()
    try:
        server.make("1")
        server.like("1", "ada")
        return server.ask("GET", "/metrics").body.decode()
    finally:
        server.stop()


def metric_findings(text, listed):
    """The metrics that a server has, and those of the document."""
    shown = set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE))
    for name in sorted(shown ^ set(listed)):
        yield f"{OPERATIONS}: the metric {name} is missing" if name in shown else f"{OPERATIONS}: there is no {name}"


def expressions(alerts):
    """What the alerts look at."""
    return [line for line in alerts.splitlines() if not line.lstrip().startswith(("#", "summary:"))]


def figure_findings(readme, results):
    """The figures that newcomers are told, and what was measured."""
    for row in section(readme, "Figures"):
        cells = row.split("|")
        for figure in re.findall(r"\b\d[\d,]*\.?\d+\b", " ".join(cells[2:4])):
            if not re.search(rf"(?<![\d.,]){re.escape(figure)}(?![\d,])", results):
                yield f"README.md: {figure} is not among what was measured"


def name_findings(name, document, command, contract):
    """The flags, the variables and the paths that a document speaks of, and those that there are."""
    code = [text for line in unblocked(document) for text in re.findall(r"`([^`]+)`", line)]
    flags = {text.split()[0] for text in code if text.startswith("--")} - OTHERS
    variables = set(re.findall(r"\bLIKESD_[A-Z_]+\b", document))
    for missing in sorted(flags | variables):
        if not re.search(rf"(?<![\w-]){missing}(?![\w-])", command):
            yield f"{name}: `likesd help` knows no {missing}"
    for path in sorted({path for text in code for path in re.findall(r"/v1/[\w{}/]+[\w}]", text)}):
        if not re.search(rf"^  {re.escape(path)}(/[\w/]+)?:$", contract, re.MULTILINE):
            yield f"{name}: openapi.yaml has no {path}"
