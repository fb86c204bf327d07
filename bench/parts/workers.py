"""What a second worker is worth, with a load client that leaves the server room for one."""

import itertools

from harness import load, machine
from harness.report import spread, table
from harness.runs import Count, measured
from parts import reads
from parts.request_servers import LIKESD

TITLE = "Workers"

# wrk has one thread here. The more a read costs the server, the more of the second core is left for a second worker.
READS = [("likesd", read) for read in reads.PATHS] + [("C", reads.DETAIL)]

EXPLAINED = """
wrk has one thread. It costs what a cheap read costs the server, so that with a *detail* on two cores no second worker can gain
much: wrk has the second core. It needs little for a *page of the feed* or *counts*: there the server has most of both cores,
and the ratio says how well the workers share the state that they read. The ratio is that of the same round.
"""


def add_options(parser):
    parser.add_argument("--seconds", type=int, default=3, help="of a run")
    parser.add_argument("--connections", type=int, nargs="+", default=[16])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])


def measure(options):
    runs = measured(settings(options), one_run, options)
    return report(runs, options), runs.failures


def settings(options):
    return [
        (server, read, Count(connections, "connection"), Count(workers, "worker"))
        for connections, (server, read), workers in itertools.product(options.connections, READS, options.workers)
    ]


def one_run(server, read, connections, workers, options):
    with reads.started(server, workers) as running:
        return load.wrk(running, options, reads.PATHS[read], connections, threads=1)


def report(runs, options):
    versions = machine.versions(LIKESD, "libmicrohttpd12", "wrk")
    text = [f"{versions}. {options.rounds} rounds of {options.seconds} s, the settings in turn.\n", EXPLAINED]
    heads = [
        "server",
        "read",
        "connections",
        "workers",
        "× requests/s of the first",
        "requests/s",
        "µs/request",
        "p99 ms",
        "cores: server",
        "wrk",
        "others",
    ]
    text += [table(heads, [row(runs, setting, options) for setting in settings(options)])]
    return "\n".join(text) + runs.failure_report()


def row(runs, setting, options):
    def all_of(key):
        return runs.all_of(setting, key)

    server, read, connections, workers = setting
    first = (server, read, connections, Count(options.workers[0], "worker"))
    return [
        server,
        read,
        f"{connections:d}",
        f"{workers:d}",
        "" if setting == first else spread(runs.ratios("requests_per_second", setting, [first], max), 2),
        spread(all_of("requests_per_second")),
        spread(all_of("cpu_us"), 2),
        spread(all_of("p99_ms"), 2),
        *runs.cores(setting),
    ]
