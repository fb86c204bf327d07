"""Reads while some of the requests are likes and readers follow what happens, beside reads alone."""

import itertools
import os

from harness import client, load, machine
from harness.report import at_least, at_most, median, spread, table, targets
from harness.runs import measured
from parts import request_servers as servers

TITLE = "Mixed load"

# As many viewers as the client names; each likes ten news.
NEWS, VIEWERS = 1000, 1000

# The share of likes in percent, and what the readers follow, if there are any.
LOADS = {
    "reads alone": (0, None),
    "likes": (5, None),
    "likes, readers of a news each": (5, "/v1/events?news=@"),
    "likes, readers of everything": (5, "/v1/events"),
}
ALONE, _, FOLLOWED, _ = LOADS

EXPLAINED = """
[requests/mixed.c](requests/mixed.c) has all connections in one thread: each sends its next request when the last one is
answered. Of 20 reads, 14 are details, 3 pages of 20 of the feed with a viewer, 3 counts of 20 news with a viewer; 5 of 100
requests are likes, each by a new user, durable, of one of 1,000 news. So *reads alone* differs from the rest by nothing but the
likes and the readers, and the times of reads and likes are taken apart. The readers of live updates are connections of the same
client. With one news each, a like comes to one reader in two; *of everything*, each like comes to all of them, which no target
speaks of: there the server, and the client, send and take some hundred thousand events in a second.
"""


def add_options(parser):
    parser.add_argument("--seconds", type=int, default=4, help="of a run")
    parser.add_argument("--connections", type=int, default=256)
    parser.add_argument("--readers", type=int, default=500)


def measure(options):
    runs = measured([(name,) for name in LOADS], one_run, options)
    return report(runs, options), runs.failures


def one_run(name, options):
    likes, stream = LOADS[name]
    with servers.likesd() as server:
        servers.make_news(server, NEWS)
        likes_of_viewers = itertools.product(range(VIEWERS), range(10))
        servers.make_likes(server, [((10 * user + step) % NEWS + 1, f"user{user}") for user, step in likes_of_viewers])
        before = servers.ask(server, "POST", "/v1/admin/verify")["likes"]
        words = ["--port", server.port, "--news", NEWS, "--connections", options.connections, "--likes", likes]
        words += ["--readers", options.readers, "--stream", stream] if stream else []
        command = [os.path.join(client.BUILD, "mixed"), *words, "--seconds", options.seconds]
        figures = load.measured(server, options, [str(word) for word in command])
        given = servers.ask(server, "POST", "/v1/admin/verify")["likes"] - before
    if not figures["likes"] <= given <= figures["likes"] + options.connections:
        raise client.RunFailed(f"{figures['likes']} likes were answered, but there are {given}")
    if stream and not figures["events"]:
        raise client.RunFailed("no reader has heard of a like")
    requests = figures["reads"] + figures["likes"]
    figures["requests_per_second"] = requests / figures["seconds"]
    figures["likes_per_second"] = figures["likes"] / figures["seconds"]
    figures["events_per_second"] = figures["events"] / figures["seconds"]
    figures["cpu_us"] = 1e6 * figures["server_seconds"] / requests
    return figures


def report(runs, options):
    versions = machine.versions(servers.LIKESD)
    settings = f"{options.connections} connections, {options.readers} readers"
    head = f"{versions}. {options.rounds} rounds of {options.seconds} s, {settings}, the loads in turn.\n"
    alone, followed = (ALONE,), (FOLLOWED,)
    rows = [
        at_least("requests/s × reads alone", 0.85, runs.ratios("requests_per_second", followed, [alone], max)),
        at_most("p99 of the reads × reads alone", 2, runs.ratios("read_p99_ms", followed, [alone], min)),
    ]
    heads = [
        "load",
        "requests/s",
        "× alone",
        "µs/request",
        "reads p50 ms",
        "p99 ms",
        "likes/s",
        "likes p50 ms",
        "p99 ms",
        "events/s",
        "cores: server",
        "client",
        "others",
    ]
    return (
        "\n".join([head, targets(rows), EXPLAINED, table(heads, [row(runs, name) for name in LOADS])])
        + runs.failure_report()
    )


def row(runs, name):
    setting = (name,)

    def all_of(key):
        return runs.all_of(setting, key)

    return [
        name,
        spread(all_of("requests_per_second")),
        "" if name == ALONE else spread(runs.ratios("requests_per_second", setting, [(ALONE,)], max), 2),
        spread(all_of("cpu_us"), 2),
        median(all_of("read_p50_ms"), 2),
        spread(all_of("read_p99_ms"), 2),
        median(all_of("likes_per_second")),
        median(all_of("like_p50_ms"), 2),
        median(all_of("like_p99_ms"), 2),
        median(all_of("events_per_second")),
        *runs.cores(setting),
    ]
