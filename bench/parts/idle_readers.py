"""What open streams that have nothing to do cost those who write."""
import itertools

from harness import client, machine
from harness.report import median, spread, table
from harness.runs import Runs
from parts.servers import LIKESD, SERVERS

TITLE = "Idle readers"

# A setting: how likes come, and whether the readers are concerned by them.
QUIET = {"stream": "/v1/events?news=quiet", "quiet": True}
LOADS = {
    "32 at once": {"publishers": 32, **QUIET},
    "2,000 a second": {"publishers": 64, "rate": 2000, **QUIET},
    "20 a second, to all readers": {"publishers": 64, "rate": 20},
}

# A like for so many readers is as many packets.
MOST_RECEIVING = 2000

EXPLAINED = """
Likes by ever new users, durable, while readers hold streams open. In the first two loads the readers follow another news: nothing is
sent to them. In the third every like goes to every reader; there are so few likes because one for 2,000 readers is 2,000 packets.
*32 at once*: 32 connections, each of which sends its next like when the last one is answered. The times are those of a
`PUT`, from when it was due until its answer; the ratios are to no readers in the same round.
"""


def add_options(parser):
    parser.add_argument("--readers", type=int, nargs="+", default=[0, 2000, 8000])
    parser.add_argument("--loads", nargs="+", default=list(LOADS), choices=list(LOADS))


def measure(options):
    if 0 not in options.readers:
        options.readers.insert(0, 0)
    runs = Runs(options)
    for turn in range(options.rounds):
        # Up in one round, down in the next.
        for setting in settings(options)[:: -1 if turn % 2 else 1]:
            runs.add(turn, setting, lambda: one_run(*setting, options))
    return report(runs, options), runs.failures


def settings(options):
    return [
        (load, readers)
        for load, readers in itertools.product(options.loads, options.readers)
        if "quiet" in LOADS[load] or readers <= MOST_RECEIVING
    ]


def one_run(load, readers, options):
    kind = SERVERS["likesd"]
    with kind.start() as server:
        kind.prepare(server)
        its_options = {**kind.options, **LOADS[load], "readers": readers, "seconds": options.seconds}
        return client.measured(server, options.patience, **its_options)


def report(runs, options):
    rows = []
    for setting in settings(options):
        load, readers = setting

        def all_of(key):
            return runs.all_of(setting, key)

        def ratio(key):
            return spread(runs.ratios(key, setting, [(load, 0)], min), 2)

        rows.append([
            load,
            f"{readers:,}",
            spread(all_of("answers_per_second")),
            spread(all_of("answer_p50_ms"), 2),
            spread(all_of("answer_p99_ms"), 2),
            ratio("answer_p50_ms"),
            ratio("answer_p99_ms"),
            median(all_of("server_cores"), 2),
            median(all_of("client_cores"), 2),
            median(all_of("others_cores"), 2),
        ])
    heads = ["load", "readers", "likes/s", "p50 ms", "p99 ms", "× p50", "× p99", "cores: server", "client", "others"]
    version = machine.version_of(LIKESD, "version")
    told = f"{version}. {options.rounds} rounds of {options.seconds:g} s, the settings in turn.\n"
    return "\n".join([told, EXPLAINED, table(heads, rows)]) + runs.failure_report()
