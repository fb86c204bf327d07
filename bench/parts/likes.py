"""Durable likes over HTTP, one a request: beside webdis and Redis and beside Go; on one hot news; and on and off."""

import argparse

from harness import load, machine
from harness.client import RunFailed
from harness.report import at_least, at_most, median, spread, table, targets
from harness.runs import Count, measured
from parts import request_servers as servers

TITLE = "Likes"

NEWS = 10007

# What is liked: so many news, by so many users for each thread of wrk. When all pairs have had their turn, the likes are taken
# back.
SPREAD = {"news": NEWS, "users": 100_003}
LOADS = {
    "distinct pairs": SPREAD,
    "one hot news": {"news": 1, "users": 100_000_007},
    "few users, on and off": {"news": 1001, "users": 16},
}
DISTINCT, HOT, TOGGLED = LOADS

# The server and the load.
KINDS = [*((name, DISTINCT) for name in ("likesd", "webdis", "Go", "nginx")), ("likesd", HOT), ("likesd", TOGGLED)]

PATH = "/v1/news/%d/likes/user%d"
WARMING_UP = argparse.Namespace(seconds=1, patience=0)

EXPLAINED = """
* *webdis* is two processes: webdis, with a thread for each core, speaks HTTP for a Redis with `appendfsync always`. A request
  is a script there that adds the user to the news, the news to the user, and counts: so both keep what a like is, both ways,
  and answer with the count when it is on the disk. The processor time is that of both.
* *Go* is [requests/like_peer.go](requests/like_peer.go), with net/http: one goroutine takes all likes that wait, up to 512,
  into one transaction of SQLite (WAL, `synchronous=FULL`), with an index for each direction and the count, and then answers.
* *nginx* answers each request with 200 and does nothing: what wrk, which makes every request by a script, gets at most on this
  machine.
* *distinct pairs*: every request is the like of another pair of 10,007 news and ever new users. *One hot news*: each by another
  user, all of the same news. *Few users, on and off*: 16 users for each thread of wrk like 1,001 news, take all of that back,
  and so on; it has been going on for a second before the run.
* No answer was anything but 2xx. After each run the likes are counted (likesd: `POST /v1/admin/verify`): they
  are as many as were answered, and at most one more for each connection, whose answer wrk did not wait for; of those on
  and off, nine of ten requests or more have changed something.
* MB: what is resident before and after the run.
"""


def add_options(parser):
    parser.add_argument("--seconds", type=int, default=3, help="of a run")
    parser.add_argument("--connections", type=int, nargs="+", default=[64, 256])


def measure(options):
    runs = measured(settings(options), one_run, options)
    return report(runs, options), runs.failures


def settings(options):
    return [(*kind, Count(connections, "connection")) for connections in options.connections for kind in KINDS]


def one_run(name, kind, connections, options):
    start, run = SERVERS[name]
    with start() as server:
        figures = run(server, kind, connections, options)
    figures["memory_ratio"] = figures["resident_after"] / figures["resident_before"]
    return figures


def words(kind, first, second, path):
    return ("likes", LOADS[kind]["news"], LOADS[kind]["users"], first, second, path)


def run_likesd(server, kind, connections, options):
    servers.make_news(server, LOADS[kind]["news"])
    liked = words(kind, "PUT", "DELETE", PATH)
    if kind == TOGGLED:
        load.wrk(server, WARMING_UP, "/", connections, liked)
        for user in range(1, 2 * LOADS[kind]["users"] + 1):
            servers.ask(server, "DELETE", f"/v1/profiles/user{user}/likes")
    before = servers.ask(server, "POST", "/v1/admin/verify")
    figures = load.wrk(server, options, "/", connections, liked)
    after = servers.ask(server, "POST", "/v1/admin/verify")
    if after["drift"] or after["orphans"]:
        raise RunFailed(f"likesd has found a drift: {after}")
    changes = after["sequence"] - before["sequence"]
    if kind != TOGGLED:
        check(figures, after["likes"] - before["likes"], connections)
    if not 0.9 * figures["requests"] <= changes <= figures["requests"] + connections:
        raise RunFailed(f"{figures['requests']} requests were answered, but {changes} things have changed")
    return figures


def run_webdis(server, kind, connections, options):
    (redis,) = server.behind
    script = redis.ask_redis("SCRIPT", "LOAD", servers.LIKE)
    liked = words(kind, "GET", "GET", f"/EVALSHA/{script}/0/%d/%d")
    figures = load.wrk(server, options, "/", connections, liked)
    check(figures, int(redis.ask_redis("EVAL", servers.SUM, 0, NEWS)), connections)
    return figures


def run_go(server, kind, connections, options):
    figures = load.wrk(server, options, "/", connections, words(kind, "PUT", "PUT", PATH))
    check(figures, int(server.ask("GET", "/count")[1]), connections)
    return figures


def run_nginx(server, kind, connections, options):
    return load.wrk(server, options, "/", connections, words(kind, "PUT", "PUT", PATH))


# How each is started, and a run on it.
SERVERS = {
    "likesd": (servers.likesd, run_likesd),
    "webdis": (servers.webdis_with_redis, run_webdis),
    "Go": (servers.go_peer, run_go),
    "nginx": (servers.nginx, run_nginx),
}


def check(figures, likes, connections):
    if not figures["requests"] <= likes <= figures["requests"] + connections:
        raise RunFailed(f"{figures['requests']} likes were answered, but there are {likes}")


def report(runs, options):
    versions = machine.versions(servers.LIKESD, "redis-server", "webdis", "golang-go", "nginx", "wrk")
    text = [f"{versions}. {options.rounds} rounds of {options.seconds} s, the settings in turn.\n"]
    text += [targets([row for count in options.connections for row in target_rows(runs, count)]), EXPLAINED]
    heads = [
        "server",
        "load",
        "connections",
        "likes/s",
        "µs/like",
        "p50 ms",
        "p99 ms",
        "MB before",
        "after",
        "cores: server",
        "wrk",
        "others",
    ]
    text += [table(heads, [row(runs, setting) for setting in settings(options)])]
    return "\n".join(text) + runs.failure_report()


def row(runs, setting):
    def all_of(key, scale=1.0):
        return runs.all_of(setting, key, scale)

    server, kind, connections = setting
    return [
        server,
        kind,
        f"{connections:d}",
        spread(all_of("requests_per_second")),
        spread(all_of("cpu_us"), 1),
        median(all_of("p50_ms"), 2),
        spread(all_of("p99_ms"), 2),
        median(all_of("resident_before", 1e-6), 1),
        median(all_of("resident_after", 1e-6), 1),
        *runs.cores(setting),
    ]


def target_rows(runs, count):
    where = Count(count, "connection")
    ours, theirs = ("likesd", DISTINCT, where), ("webdis", DISTINCT, where)
    hot, toggled = ("likesd", HOT, where), ("likesd", TOGGLED, where)
    return [
        at_least(
            f"distinct pairs, {where}: likes/s × webdis", 2.0, runs.ratios("requests_per_second", ours, [theirs], max)
        ),
        at_most(f"distinct pairs, {where}: p99 × webdis", 1.0, runs.ratios("p99_ms", ours, [theirs], min)),
        at_most(f"distinct pairs, {where}: processor time", 14, runs.all_of(ours, "cpu_us"), 1, " µs"),
        at_least(
            f"one hot news, {where}: likes/s × distinct pairs",
            0.95,
            runs.ratios("requests_per_second", hot, [ours], max),
        ),
        at_least(
            f"on and off, {where}: requests/s × distinct pairs",
            0.95,
            runs.ratios("requests_per_second", toggled, [ours], max),
        ),
        at_most(f"on and off, {where}: memory after × before", 1.1, runs.all_of(toggled, "memory_ratio")),
    ]
