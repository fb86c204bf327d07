"""Durable likes, many in a request, beside webdis and Redis."""

import itertools

from harness import load, machine
from harness.report import at_least, spread, table, targets
from harness.runs import Count, measured
from parts import request_servers as servers
from parts.likes import NEWS, SPREAD, check

TITLE = "Batches"

EXPLAINED = """
`POST /v1/likes` with an array of likes, each of another pair of 10,007 news and ever new users; the answer comes when all are
on the disk, and has a result for each. *webdis* does the same with one call of a script of Redis (`appendfsync always`) that
adds users to news and news to users, counts, and answers with all the counts. wrk makes the bodies in the same second, on the
same cores. After each run the likes are counted: as many as were answered, and at most one batch more for each connection.
µs/like: processor time of the server for a like; with webdis, of both processes. The times are those of a whole batch.
"""


def add_options(parser):
    parser.add_argument("--seconds", type=int, default=3, help="of a run")
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--likes", type=int, default=1000, help="in a batch")


def measure(options):
    runs = measured(settings(options), one_run, options)
    return report(runs, options), runs.failures


def settings(options):
    return list(itertools.product(["likesd", "webdis"], counts(options)))


def counts(options):
    return [Count(connections, "connection") for connections in options.connections]


def one_run(name, connections, options):
    words = ["batch", SPREAD["news"], SPREAD["users"], options.likes]
    if name == "likesd":
        with servers.likesd() as server:
            servers.make_news(server, NEWS)
            figures = load.wrk(server, options, "/", connections, [*words, "json", "/v1/likes"])
            likes = servers.ask(server, "POST", "/v1/admin/verify")["likes"]
    else:
        with servers.webdis_with_redis() as server:
            script = server.behind[0].ask_redis("SCRIPT", "LOAD", servers.LIKES)
            figures = load.wrk(server, options, "/", connections, [*words, "command", "/", f"EVALSHA/{script}/0/"])
            likes = int(server.behind[0].ask_redis("EVAL", servers.SUM, 0, NEWS))
    figures["likes"] = options.likes * figures["requests"]
    check({"requests": figures["likes"]}, likes, options.likes * connections)
    figures["likes_per_second"] = figures["likes"] / figures["seconds"]
    figures["cpu_us_per_like"] = 1e6 * figures["server_seconds"] / figures["likes"]
    return figures


def report(runs, options):
    versions = machine.versions(servers.LIKESD, "redis-server", "webdis", "wrk")
    text = [
        f"{versions}. {options.rounds} rounds of {options.seconds} s, {options.likes:,} likes a batch, the settings in turn.\n"
    ]
    text += [targets(target_rows(runs, options)), EXPLAINED]
    heads = ["server", "connections", "likes/s", "µs/like", "p50 ms", "p99 ms", "cores: server", "wrk", "others"]
    text += [table(heads, [row(runs, setting) for setting in settings(options)])]
    return "\n".join(text) + runs.failure_report()


def row(runs, setting):
    def all_of(key):
        return runs.all_of(setting, key)

    return [
        setting[0],
        f"{setting[1]:d}",
        spread(all_of("likes_per_second")),
        spread(all_of("cpu_us_per_like"), 2),
        spread(all_of("p50_ms"), 1),
        spread(all_of("p99_ms"), 1),
        *runs.cores(setting),
    ]


def target_rows(runs, options):
    rows = []
    for connections in counts(options):
        ours, theirs = ("likesd", connections), ("webdis", connections)
        rows += [
            at_least(f"{connections}: likes/s", 500_000, runs.all_of(ours, "likes_per_second"), 0),
            at_least(f"{connections}: likes/s × webdis", 1, runs.ratios("likes_per_second", ours, [theirs], max)),
        ]
    return rows
