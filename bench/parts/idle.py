"""What servers cost while nobody asks them for anything, and how soon after their start they answer."""

import time

from harness import machine
from harness.report import at_most, spread, table, targets
from harness.runs import Runs
from parts import request_servers as servers
from parts.servers import start_go

TITLE = "Idle"

# Seconds for which a server is left alone before its memory is looked at.
REST = 0.1

EXPLAINED = """
A start is measured from before the process is made, which takes Python about a millisecond for each of them, until its first
answer: 200 to `/readyz` of likesd, `+PONG` of Redis, 200 to a `PING` through webdis. The driver asks every 0.2 ms. Then it
leaves the server alone for a tenth of a second and looks at its memory: *resident* is what its processes hold, *PSS* counts in
parts what they share with others.

*likesd* starts with a data folder that is there, with nothing in it yet; in *likesd, new folder* the start makes the folder,
which takes as long as the disk needs for that. *webdis* starts with a Redis that runs already; the memory is that of both. *C*
is the peer of the reads and *Go* that of the fan-out, which keep nothing; nginx has one worker.
"""


def add_options(parser):
    parser.set_defaults(rounds=20)


def measure(options):
    runs = Runs(options, options.rounds * len(KINDS))
    for turn in range(options.rounds):
        machine.wait_until_quiet(options.patience)
        for name in KINDS:
            runs.add(turn, (name,), lambda: one_start(name))
    return report(runs, options), runs.failures


def one_start(name):
    busy, start = machine.busy_seconds(), time.monotonic()
    with KINDS[name]() as server:
        if name == "likesd":
            server.stop()
            busy, start = machine.busy_seconds(), time.monotonic()
            server.start()
        time.sleep(REST)
        used = server.cpu_seconds()
        others = (machine.busy_seconds() - busy - used) / (time.monotonic() - start)
        memory = {"resident": server.resident(), "pss": server.memory()}
        return {"start_ms": 1e3 * server.start_seconds, **memory, "others_cores": max(0, others)}


KINDS = {
    "likesd": servers.likesd,
    "likesd, new folder": servers.likesd,
    "C": servers.c_peer,
    "nginx": servers.nginx,
    "Redis": servers.Redis,
    "webdis": servers.webdis_with_redis,
    "Go": start_go,
}


def report(runs, options):
    versions = machine.versions(servers.LIKESD, "libmicrohttpd12", "nginx", "redis-server", "webdis", "golang-go")
    text = [f"{versions}. {options.rounds} starts of each, in turn.\n"]
    rows = [
        at_most("resident", 8, runs.all_of(("likesd",), "resident", 1e-6), 1, " MB"),
        at_most("to the first answer", 6, runs.all_of(("likesd",), "start_ms"), 1, " ms"),
    ]
    figures = [[name, *cells(runs, (name,))] for name in KINDS]
    text += [targets(rows), EXPLAINED, table(["server", "start ms", "resident MB", "PSS MB", "others' cores"], figures)]
    return "\n".join(text) + runs.failure_report()


def cells(runs, setting):
    return [
        spread(runs.all_of(setting, "start_ms"), 1),
        spread(runs.all_of(setting, "resident", 1e-6), 1),
        spread(runs.all_of(setting, "pss", 1e-6), 1),
        spread(runs.all_of(setting, "others_cores"), 2),
    ]
