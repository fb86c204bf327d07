"""Fan-out: one event to many readers, beside nchan and a server in Go."""
import itertools

from harness import client, machine
from harness.report import median, spread, table
from harness.runs import Runs
from parts.servers import LIKESD, NGINX, SERVERS

TITLE = "Fan-out"

# How messages are published: by how many publishers, each of which goes on when its last message is answered and received
# by all; or at so many a second.
LOADS = {
    "window 1": {"publishers": 1},
    "window 8": {"publishers": 8},
    "20 a second": {"publishers": 64, "rate": 20},
}

COLUMNS = """
* deliveries/s: messages received by readers, all readers together, in a second;
* µs/delivery: processor time of the server, all its threads and processes, for one of them;
* last reader: from the beginning of the publish until the last reader has the message, over all messages; *any* reader: until one
  has it, over all deliveries;
* KB/reader: what one open reader adds to the memory of the server's processes (proportional set size), after the first message and
  after the last. What the kernel holds for a connection comes on top, and is about the same for all servers; what the server holds
  for its publishers does not count;
* bytes: what a reader receives for a message, framing included;
* cores: what the server, the client and all other processes took meanwhile. The client runs on the same machine.

likesd answers a publish when the like is on disk and folded into everything; the peers store nothing. In every
run that did not fail every reader received every message once, and all in the same order.

With several messages under way, likesd sends a reader in one packet what came together, while the peers send every message alone:
that is where the ratio at *window 8* comes from. *Window 1*, and *20 a second* while a server keeps up with it, show what one send
costs: there each message is alone in its packet, whoever sends it.
"""


def add_options(parser):
    parser.add_argument("--seconds", type=float, default=3, help="of publishing in a run")
    parser.add_argument("--readers", type=int, nargs="+", default=[1000, 4000])
    parser.add_argument("--servers", nargs="+", default=list(SERVERS), choices=list(SERVERS))
    parser.add_argument("--loads", nargs="+", default=list(LOADS), choices=list(LOADS))


def measure(options):
    runs = Runs(options, options.rounds * len(options.readers) * len(options.loads) * len(options.servers))
    for turn in range(options.rounds):
        # The order changes from round to round, so that no server always follows the same one.
        first = turn % len(options.servers)
        names = options.servers[first:] + options.servers[:first]
        for setting in itertools.product(options.readers, options.loads, names):
            runs.add(turn, setting, lambda: one_run(*setting, options))
    return report(runs, options), runs.failures


def one_run(readers, load, name, options):
    kind = SERVERS[name]
    with kind.start() as server:
        kind.prepare(server)
        return client.measured(
            server, options.patience, readers=readers, seconds=options.seconds, **kind.options, **LOADS[load]
        )


def report(runs, options):
    text = [versions(options)]
    if "likesd" in options.servers and len(options.servers) > 1:
        text += ["### likesd over the better peer of the same round\n", comparison(runs, options)]
    text.append(COLUMNS)
    for readers in options.readers:
        rows = [
            [name, load, *cells(runs, (readers, load, name))]
            for load, name in itertools.product(options.loads, options.servers)
        ]
        text += [f"### {readers:,} readers\n", table(HEADS, rows)]
    return "\n".join(text) + runs.failure_report()


HEADS = ["server", "load", "deliveries/s", "µs/delivery", "last reader p50 ms", "p99 ms", "any reader p50 ms", "p99 ms",
         "KB/reader first", "last", "bytes", "cores: server", "client", "others"]


def cells(runs, setting):
    def all_of(key, scale=1.0):
        return runs.all_of(setting, key, scale)

    return [
        spread(all_of("deliveries_per_second")),
        spread(all_of("cpu_per_delivery_us"), 1),
        spread(all_of("last_p50_ms"), 1),
        spread(all_of("last_p99_ms"), 1),
        median(all_of("delivery_p50_ms"), 1),
        median(all_of("delivery_p99_ms"), 1),
        spread(all_of("reader_bytes", 1 / 1024), 1),
        median(all_of("reader_bytes_after", 1 / 1024), 1),
        median(all_of("bytes_per_delivery")),
        median(all_of("server_cores"), 2),
        median(all_of("client_cores"), 2),
        median(all_of("others_cores"), 2),
    ]


# What is compared: the figure, and whether more of it is better.
COMPARED = {
    "deliveries_per_second": max,
    "cpu_per_delivery_us": min,
    "last_p50_ms": min,
    "last_p99_ms": min,
    "reader_bytes": min,
}


def comparison(runs, options):
    peers = [name for name in options.servers if name != "likesd"]
    rows = []
    for readers, load in itertools.product(options.readers, options.loads):
        row = [f"{readers:,}", load]
        for key, better in COMPARED.items():
            others = [(readers, load, peer) for peer in peers]
            row.append(spread(runs.ratios(key, (readers, load, "likesd"), others, better), 2))
        rows.append(row)
    heads = ["readers", "load", "× deliveries/s", "× µs/delivery", "× last reader p50", "× last reader p99", "× KB/reader"]
    return table(heads, rows)


def versions(options):
    known = {
        "likesd": lambda: machine.version_of(LIKESD, "version"),
        "nchan": lambda: f"{machine.version_of(NGINX, '-v')}, nchan "
        + machine.version_of("dpkg-query", "-W", "-f", "${Version}", "libnginx-mod-nchan"),
        "Go": lambda: machine.version_of("go", "version"),
    }
    said = "; ".join(known[name]() for name in options.servers)
    return f"{said}. {options.rounds} rounds of {options.seconds:g} s, the servers in turn.\n"
