"""What open streams that have nothing to do cost those who write."""
import argparse
import itertools

from harness import client, machine
from harness.report import median, spread, table
from harness.runs import measured
from parts.servers import LIKESD, SERVERS, start_likesd

TITLE = "Idle readers"

# A setting: how likes come, and whether the readers are concerned by them.
QUIET = {"stream": "/v1/events?news=quiet", "quiet": True}
LOADS = {
    "32 at once": {"publishers": 32, **QUIET},
    "2,000 a second": {"publishers": 64, "rate": 2000, **QUIET},
    "20 a second, to all readers": {"publishers": 64, "rate": 20},
}

# All that a reader receives that no like concerns.
HEARTBEAT = ":\n\n"

# A like for so many readers is as many packets.
MOST_RECEIVING = 2000

EXPLAINED = """
Likes by ever new users, durable, while readers hold streams open. In the first two loads the readers follow another news: only
heartbeats, and now and then a new place, are sent to them. In the third every like goes to every reader; there are so few likes because one for 2,000 readers is
2,000 packets.
*32 at once*: 32 connections, each of which sends its next like when the last one is answered. The times are those of a
`PUT`, from when it was due until its answer; the ratios are to no readers in the same round.

Every stream gets a heartbeat every 5 s, at least one in each run; by default it is every 15 s, so this is harsher than what a server
does by itself. The server spreads heartbeats over the interval. What the kernel does to send them, and the client to take them, is
in the figures, as all of them share one machine.
"""


def add_options(parser):
    parser.add_argument("--seconds", type=long_enough, default=6, help="of publishing in a run, 6 or more")
    parser.add_argument("--readers", type=int, nargs="+", default=[0, 2000, 8000])
    parser.add_argument("--loads", nargs="+", default=list(LOADS), choices=list(LOADS))


def long_enough(text):
    """Seconds in which every reader gets a heartbeat at least."""
    seconds = float(text)
    if seconds < 6:
        raise argparse.ArgumentTypeError("idle readers take 6 seconds or more, so that heartbeats come")
    return seconds


def measure(options):
    if 0 not in options.readers:
        options.readers.insert(0, 0)
    runs = measured(settings(options), one_run, options)
    return report(runs, options), runs.failures


def settings(options):
    return [
        (load, readers)
        for load, readers in itertools.product(options.loads, options.readers)
        if "quiet" in LOADS[load] or readers <= MOST_RECEIVING
    ]


def one_run(load, readers, options):
    kind = SERVERS["likesd"]
    with start_likesd("--stream-heartbeat", "5s") as server:
        kind.prepare(server)
        its_options = {**kind.options, **LOADS[load], "readers": readers, "seconds": options.seconds}
        figures = client.measured(server, options.patience, **its_options)
    if "quiet" in LOADS[load]:
        figures["bytes_per_reader"] = figures["bytes"] / max(readers, 1)
        if readers and figures["bytes_per_reader"] < len(HEARTBEAT):
            raise client.RunFailed("not every reader got a heartbeat")
    return figures


def report(runs, options):
    version = machine.version_of(LIKESD, "version")
    told = f"{version}. {options.rounds} rounds of {options.seconds:g} s, the settings in turn.\n"
    ratios, figures = zip(*(rows(runs, setting) for setting in settings(options)))
    text = [told, table(["load", "readers", "× p50", "× p99"], [row for row in ratios if row[1] != "0"]), EXPLAINED]
    heads = ["load", "readers", "likes/s", "p50 ms", "p99 ms", "bytes a reader", "cores: server", "client", "others"]
    return "\n".join([*text, table(heads, figures)]) + runs.failure_report()


def rows(runs, setting):
    """A setting in the table of ratios, and in that of figures."""
    load, readers = setting

    def all_of(key):
        return runs.all_of(setting, key)

    def ratio(key):
        return spread(runs.ratios(key, setting, [(load, 0)], min), 2)

    ratios = [load, f"{readers:,}", ratio("answer_p50_ms"), ratio("answer_p99_ms")]
    figures = [
        load,
        f"{readers:,}",
        spread(all_of("answers_per_second")),
        spread(all_of("answer_p50_ms"), 2),
        spread(all_of("answer_p99_ms"), 2),
        median(all_of("bytes_per_reader"), 0),
        median(all_of("server_cores"), 2),
        median(all_of("client_cores"), 2),
        median(all_of("others_cores"), 2),
    ]
    return ratios, figures
