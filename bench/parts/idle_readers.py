"""What open streams that have nothing to do cost those who write."""
import itertools

from harness import client, machine
from harness.report import median, spread, table
from parts.servers import LIKESD, NEWS, SERVERS

TITLE = "Idle readers"

# A setting: how likes come, and whether the readers are concerned by them.
QUIET = {"stream": "/v1/events?news=quiet", "quiet": True}
LOADS = {
    "32 at once": {"publishers": 32, **QUIET},
    "2,000 a second": {"publishers": 64, "rate": 2000, **QUIET},
    "20 a second, to all readers": {"publishers": 64, "rate": 20},
}

EXPLAINED = """
Likes by ever new users, durable, while readers hold streams open. In the first two loads the readers follow another news: nothing is
sent to them. In the third every like goes to every reader; there are so few because a like for 2,000 readers is 2,000 packets.
*32 at once*: 32 connections, each of which sends its next like when the last one is answered. The times are those of a
`PUT`, from when it was due until its answer; the ratios are to no readers in the same round.
"""


def add_options(parser):
    parser.add_argument("--readers", type=int, nargs="+", default=[0, 2000, 8000])
    parser.add_argument("--loads", nargs="+", default=list(LOADS), choices=list(LOADS))


def measure(options):
    if options.readers[0] != 0:
        options.readers.insert(0, 0)
    runs = {}
    for turn in range(options.rounds):
        for load, readers in itertools.product(options.loads, options.readers[:: 1 if turn % 2 else -1]):
            if "quiet" not in LOADS[load] and readers > 2000:
                continue
            figures = client.least_disturbed(lambda: one_run(readers, load, options), options.tries, options.bearable)
            runs.setdefault((load, readers), []).append(figures)
            print(f"round {turn + 1}, {load}, {readers} readers: {figures}", flush=True)
    return report(runs, options)


def one_run(readers, load, options):
    kind = SERVERS["likesd"]
    with kind.start() as server:
        kind.prepare(server)
        settings = {**kind.options, **LOADS[load], "readers": readers, "seconds": options.seconds}
        return client.measured(server, options.patience, **settings)


def report(runs, options):
    rows = []
    for (load, readers), figures in sorted(runs.items(), key=lambda run: (options.loads.index(run[0][0]), run[0][1])):
        alone = runs[load, 0]

        def ratio(key):
            return spread([own[key] / other[key] for own, other in zip(figures, alone)], 2)

        rows.append([
            load,
            f"{readers:,}",
            spread(run["answers_per_second"] for run in figures),
            spread((run["answer_p50_ms"] for run in figures), 2),
            spread((run["answer_p99_ms"] for run in figures), 2),
            ratio("answer_p50_ms"),
            ratio("answer_p99_ms"),
            median((run["server_cores"] for run in figures), 2),
            median((run["client_cores"] for run in figures), 2),
            median((run["others_cores"] for run in figures), 2),
        ])
    heads = ["load", "readers", "likes/s", "p50 ms", "p99 ms", "× p50", "× p99", "cores: server", "client", "others"]
    version = machine.version_of(LIKESD, "version")
    return f"{version}. {options.rounds} rounds of {options.seconds:g} s, the settings in turn.\n{EXPLAINED}\n{table(heads, rows)}"
