"""Reads: a detail beside C on the same HTTP library, a page of the feed and counts beside the detail, and allocations."""

import contextlib
import itertools
import os
import re
import socket
import struct
import tempfile

from harness import client, load, machine
from harness.processes import get
from harness.report import at_least, at_most, median, spread, table, targets
from harness.runs import Count, Runs
from parts import request_servers as servers

TITLE = "Reads"

NEWS, LIKERS, VIEWER = 100, 20, "user00000"

# The read, and how many requests of it are counted for its allocations.
IDS = "&".join(f"news={number}" for number in range(1, NEWS + 1))
DETAIL = "detail"
PATHS = {
    DETAIL: "/v1/news/1",
    "feed, 20": f"/v1/feed?limit=20&viewer={VIEWER}",
    "counts, 100": f"/v1/counts?{IDS}&viewer={VIEWER}",
}
FEWER = {
    "feed, 20": ("/v1/feed?limit=1&viewer=" + VIEWER, 19),
    "counts, 100": ("/v1/counts?news=1&viewer=" + VIEWER, 99),
}
COUNTED = 500

EXPLAINED = """
* *C* is [requests/peer.c](requests/peer.c): libmicrohttpd driven as likesd drives it, a body and headers made anew for each
  request. Before the runs both answers are compared: they are the same, byte by byte, but for the digits in them. A detail
  names the 3 newest likers, which is all that likesd shows in one; this news has 20.
* *nginx* returns a text of the length of that body that never changes, as a yardstick for what sending alone costs.
* feed, 20: a page of the 20 newest news, with what the viewer likes; counts, 100: of 100 news in the query, with what the
  viewer likes. Of likesd, beside its own detail of the same round.
* µs/request: processor time of the server for a request; cores: what the server, wrk and all other processes took. wrk runs on
  the same machine; it has one thread for up to 64 connections, else two.
* allocations: calls of malloc and its relatives for one request, counted by [requests/mallocs.c](requests/mallocs.c) over 500
  requests on one connection; *an entry*: the difference to the same read of one entry, for each entry more.
"""


def add_options(parser):
    parser.add_argument("--seconds", type=int, default=3, help="of a run")
    parser.add_argument("--connections", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])


def measure(options):
    planned = settings(options)
    runs = Runs(options, options.rounds * len(planned))
    body_length = compare_answers()
    runs.measure(planned, lambda *setting: one_run(*setting, body_length, options))
    return report(runs, options, allocations()), runs.failures


def settings(options):
    return [
        (server, read, Count(connections, "connection"), Count(workers, "worker"))
        for connections, workers in itertools.product(options.connections, options.workers)
        for server, read in [
            ("likesd", DETAIL),
            ("C", DETAIL),
            ("nginx", DETAIL),
            *(("likesd", read) for read in FEWER),
        ]
    ]


def one_run(server, read, connections, workers, body_length, options):
    with started(server, workers, body_length) as running:
        return load.wrk(running, options, PATHS[read], connections)


@contextlib.contextmanager
def started(name, workers, body_length=0, environment=None):
    starts = {
        "likesd": lambda: servers.likesd(workers=workers, environment=environment),
        "C": lambda: servers.c_peer(workers, environment),
        "nginx": lambda: servers.nginx(workers, "x" * body_length),
    }
    with starts[name]() as server:
        if name == "likesd":
            make_world(server)
        yield server


def make_world(server):
    """The first news is made and liked before the others, so that its sequence has as many digits as in the peer."""
    servers.make_news(server, 1)
    servers.make_likes(server, [(1, f"user{number:05}") for number in range(LIKERS)])
    servers.make_news(server, NEWS)
    servers.make_likes(server, [(number, VIEWER) for number in range(2, NEWS + 1, 2)])


def compare_answers():
    """Sees to it that the peer answers as likesd does; the length of the body."""
    with started("likesd", 1) as ours, started("C", 1) as theirs:
        answers = [Connection(server.port).ask(PATHS[DETAIL]) for server in (ours, theirs)]
    likesd, peer = (re.sub(rb"[0-9a-f]", b"0", b"".join(answer)) for answer in answers)
    if likesd != peer:
        raise RuntimeError(f"the peer in C answers otherwise than likesd:\n{answers[0]}\n{answers[1]}")
    return len(answers[0][1])


class Connection:
    """A connection that asks for one thing after the other, in few packets."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), load.PATIENCE)
        self.stream = self.socket.makefile("rb")

    def ask(self, path, method="GET"):
        self.socket.sendall(get(path).replace(b"GET", method.encode(), 1))
        head = b"".join(iter(self.stream.readline, b"\r\n"))
        length = int(re.search(rb"(?i)^content-length: *(\d+)", head, re.MULTILINE)[1])
        body = self.stream.read(length)
        if not head.startswith(b"HTTP/1.1 2"):
            raise RuntimeError(f"{path} is answered by {head!r}")
        return head, body


def allocations():
    """Allocations a request by server and read; of likesd also for each entry more."""
    found = {}
    with tempfile.NamedTemporaryFile() as counts:
        preloaded = {"LD_PRELOAD": os.path.join(client.BUILD, "mallocs.so"), "MALLOCS_FILE": counts.name}
        with started("C", 1, environment=preloaded) as server:
            found["C", DETAIL] = (allocations_of(server, counts.name, PATHS[DETAIL]), None)
        with started("likesd", 1, environment=preloaded) as server:
            for read, path in PATHS.items():
                whole = allocations_of(server, counts.name, path)
                fewer, entries = FEWER.get(read, (None, None))
                each = (whole - allocations_of(server, counts.name, fewer)) / entries if fewer else None
                found["likesd", read] = (whole, each)
            found["likesd", "like"] = (allocations_of(server, counts.name, "/v1/news/{}/likes/someone{}", "PUT"), None)
    return found


def allocations_of(server, counts, path, method="GET"):
    connection = Connection(server.port)
    for turn in range(COUNTED // 5):
        connection.ask(path.format(turn % NEWS + 1, turn), method)
    before = allocations_so_far(counts)
    for turn in range(COUNTED // 5, COUNTED // 5 + COUNTED):
        connection.ask(path.format(turn % NEWS + 1, turn), method)
    return (allocations_so_far(counts) - before) / COUNTED


def allocations_so_far(counts):
    with open(counts, "rb") as file:
        taken, resized, _ = struct.unpack("3Q", file.read(24))
    return taken + resized


def report(runs, options, found):
    versions = machine.versions(servers.LIKESD, "libmicrohttpd12", "nginx", "wrk")
    text = [f"{versions}. {options.rounds} rounds of {options.seconds} s, the settings in turn.\n"]
    text += [targets(target_rows(runs, options, found)), EXPLAINED]
    heads = [
        "server",
        "read",
        "connections",
        "workers",
        "requests/s",
        "µs/request",
        "p50 ms",
        "p99 ms",
        "cores: server",
        "wrk",
        "others",
    ]
    text += [table(heads, [row(runs, setting) for setting in settings(options)])]
    counts = [
        [server, read, f"{whole:.2f}", "" if each is None else f"{each:.2f}"]
        for (server, read), (whole, each) in found.items()
    ]
    text += ["### Allocations\n", table(["server", "request", "allocations", "an entry"], counts)]
    return "\n".join(text) + runs.failure_report()


def row(runs, setting):
    def all_of(key):
        return runs.all_of(setting, key)

    server, read, connections, workers = setting
    return [
        server,
        read,
        f"{connections:d}",
        f"{workers:d}",
        spread(all_of("requests_per_second")),
        spread(all_of("cpu_us"), 2),
        median(all_of("p50_ms"), 2),
        spread(all_of("p99_ms"), 2),
        *runs.cores(setting),
    ]


def target_rows(runs, options, found):
    rows = []
    for connections, workers in itertools.product(options.connections, options.workers):
        where = (Count(connections, "connection"), Count(workers, "worker"))
        ours, theirs = ("likesd", DETAIL, *where), ("C", DETAIL, *where)
        name = ", ".join(map(str, where))
        rows += [
            at_least(f"detail, {name}: requests/s × C", 0.95, runs.ratios("requests_per_second", ours, [theirs], max)),
            at_most(f"detail, {name}: µs/request × C", 1.05, runs.ratios("cpu_us", ours, [theirs], min)),
        ]
        for read, share in ("feed, 20", 0.5), ("counts, 100", 0.35):
            values = runs.ratios("requests_per_second", ("likesd", read, *where), [ours], max)
            rows.append(at_least(f"{read}, {name}: requests/s × detail", share, values))
    rows.append(at_most("allocations of a detail", 6, [found["likesd", DETAIL][0]]))
    rows += [none_for_each(read, found["likesd", read][1]) for read in FEWER]
    return rows


def none_for_each(read, each):
    return [f"{read}: allocations for each entry", "0", f"{each:.2f}", "yes" if each < 0.005 else "**no**"]
