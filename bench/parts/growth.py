"""What likes cost that exist already: the next one, memory, and the start, beside Redis."""

import contextlib
import http.client
import json
import os
import random
import shutil
import statistics
import subprocess
import time

from harness import machine, worlds
from harness.client import RunFailed
from harness.report import at_most, median, spread, table, targets
from harness.runs import Count, Runs
from parts import request_servers as servers

TITLE = "Growth"

# Likes of a batch, and at how many the memory and the start are compared with Redis.
BATCH, COMPARED = 1000, 10_000_000

# Seconds for an answer, and for which a server that has started is left alone before its memory is looked at.
PATIENCE, REST = 60, 0.5

SETS, SORTED_SETS = KINDS_OF_REDIS = ["sets", "sorted-sets"]

EXPLAINED = """
A made-up world (`generate-likes.py`): users like news by Zipf's law; the smaller worlds are the first likes of the largest one,
with all its news. All servers run at the same time and are asked in turn.

* *µs/like*: processor time of the server for a like in batches of 1,000 on one connection, by users who have liked before, of
  news at random. In a pass likes are given and then taken back, so that the world keeps its size; the median of the passes, and
  the mean, which has snapshots in it that were written meanwhile. A like alone costs more, but what is more is HTTP, which does
  not grow.
* *bytes a like*: what is resident after a start, less what is resident of the same server without anything, for each like.
* *ready*: from before the process is made until 200 from `/readyz`, and `+PONG` from Redis. likesd reads its newest snapshot,
  Redis its RDB file, both out of the page cache.
* *Redis, sets* has for each news the set of its users and for each user the set of its news, all of them numbers; that has no
  times and no order. *Sorted-sets* have the time as the score, as likesd keeps it.
"""


def add_options(parser):
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="+",
        default=[10_000, 1_000_000, 10_000_000],
        help="likes that exist; 50000000 takes some 3 GB of memory, 6 GB of disk, and its time",
    )
    parser.add_argument("--news", type=int, default=100_000)
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--batches", type=int, default=20, help="of likes in a pass")
    parser.add_argument("--passes", type=int, default=5, help="in a round")
    parser.add_argument("--redis", nargs="*", default=KINDS_OF_REDIS, choices=KINDS_OF_REDIS)


def measure(options):
    sizes = sorted(options.sizes)
    made = {size: worlds.World(size, options.news, options.users, sizes[-1]) for size in sizes}
    compared = max((size for size in sizes if size <= COMPARED), default=sizes[0])
    runs = Runs(options, options.rounds * (2 * len(sizes) + len(options.redis)))
    with contextlib.ExitStack() as stack:
        running = {size: Filled(stack.enter_context(servers.likesd()), world) for size, world in made.items()}
        for turn in range(options.rounds):
            for size in sizes:
                runs.add(turn, started("likesd", size), lambda: running[size].start_again(options))
            # Up in one round, down in the next.
            for size in sizes[:: -1 if turn % 2 else 1]:
                runs.add(turn, liked(size), lambda: running[size].like_more(turn, options))
    if options.redis:
        sets = made[compared].sets()
    for kind in options.redis:
        with servers.Redis() as redis:
            filled = FilledRedis(redis, sets, kind == SORTED_SETS, compared)
            for turn in range(options.rounds):
                runs.add(turn, started(f"Redis, {kind}", compared), lambda: filled.start_again(options))
    return report(runs, options, sizes, compared, running), runs.failures


def started(name, size):
    return (name, "start", Count(size, "like"))


def liked(size):
    return ("likesd", "batches", Count(size, "like"))


class Begun:
    """A server that has been looked at while it had nothing."""

    def __init__(self, server, likes):
        time.sleep(REST)
        self.server, self.likes, self.empty = server, likes, server.resident()

    def start_again(self, options):
        self.server.stop()
        machine.wait_until_quiet(options.patience)
        busy, begun = machine.busy_seconds(), time.monotonic()
        self.server.start()
        time.sleep(REST)
        others = (machine.busy_seconds() - busy - self.server.cpu_seconds()) / (time.monotonic() - begun)
        each = (self.server.resident() - self.empty) / self.likes
        return {"start_seconds": self.server.start_seconds, "bytes_per_like": each, "others_cores": max(0, others)}


class Filled(Begun):
    """likesd with the likes of a world."""

    def __init__(self, server, world):
        super().__init__(server, world.likes)
        self.world = world
        server.stop()
        data = os.path.join(server.folder, "data")
        shutil.rmtree(data)
        print(f"importing {world.likes:,} likes", flush=True)
        begun = time.monotonic()
        command = [servers.LIKESD, "import", world.news_file, world.likes_file, "--data", data]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"likesd import ends with {done.returncode}: {done.stderr}")
        self.import_seconds = time.monotonic() - begun
        server.start()

    def like_more(self, turn, options):
        """Passes of likes that are taken back. The processor time of a like is the median of the passes."""
        machine.wait_until_quiet(options.patience)
        costs, others = [], []
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            for number in range(options.passes):
                pairs = self.pairs(f"{turn}.{number}", options)
                for operation in "like", "unlike":
                    busy, own, begun = machine.busy_seconds(), time.process_time(), time.monotonic()
                    used = self.server.cpu_seconds()
                    for body in bodies(pairs, operation):
                        post(connection, body)
                    used = self.server.cpu_seconds() - used
                    spent = machine.busy_seconds() - busy - used - (time.process_time() - own)
                    others.append(max(0, spent / (time.monotonic() - begun)))
                    if operation == "like":
                        costs.append(1e6 * used / len(pairs))
        return {
            "cpu_us": statistics.median(costs),
            "mean_cpu_us": statistics.mean(costs),
            "others_cores": statistics.mean(others),
        }

    def pairs(self, seed, options):
        chance = random.Random(seed)
        users = self.world.some_users(options.batches * BATCH, seed)
        return [(str(chance.randrange(1, self.world.news + 1)), user) for user in users]


def bodies(pairs, operation):
    for first in range(0, len(pairs), BATCH):
        some = pairs[first : first + BATCH]
        yield json.dumps([{"op": operation, "news": news, "user": user} for news, user in some])


def post(connection, body):
    connection.request("POST", "/v1/likes", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    said = json.loads(answer.read())
    if answer.status != 200 or said["failed"] or said["changed"] < 0.9 * len(said["results"]):
        raise RunFailed(
            f"a batch was answered {answer.status}, {said.get('changed')} changed, {said.get('failed')} failed"
        )


class FilledRedis(Begun):
    def __init__(self, redis, sets, are_sorted, likes):
        super().__init__(redis, likes)
        redis.fill(worlds.commands(sets, are_sorted))
        redis.ask_redis("SAVE")


def report(runs, options, sizes, compared, running):
    versions = machine.versions(servers.LIKESD, "redis-server")
    head = f"{versions}. {options.rounds} rounds, {options.news:,} news, {options.users:,} users.\n"
    likesd = started("likesd", compared)
    rows = [
        at_most(
            f"a like with {sizes[-1]:,} likes × with {sizes[0]:,}",
            1.3,
            runs.ratios("cpu_us", liked(sizes[-1]), [liked(sizes[0])], min),
        ),
        at_most(f"memory with {compared:,} likes", 32, runs.all_of(likesd, "bytes_per_like"), 1, " bytes a like"),
        at_most(f"ready with {compared:,} likes", 0.65, runs.all_of(likesd, "start_seconds"), 2, " s"),
    ]
    figures = [row(runs, "likesd", size, running[size]) for size in sizes]
    figures += [row(runs, f"Redis, {kind}", compared, None) for kind in options.redis]
    heads = ["server", "likes", "µs/like", "mean", "bytes a like", "ready s", "import likes/s", "others' cores"]
    return "\n".join([head, targets(rows), EXPLAINED, table(heads, figures)]) + runs.failure_report()


def row(runs, name, size, filled):
    return [
        name,
        f"{size:,}",
        spread(runs.all_of(liked(size), "cpu_us"), 2) if filled else "",
        median(runs.all_of(liked(size), "mean_cpu_us"), 2) if filled else "",
        spread(runs.all_of(started(name, size), "bytes_per_like"), 1),
        spread(runs.all_of(started(name, size), "start_seconds"), 2),
        f"{size / filled.import_seconds:,.0f}" if filled else "",
        median(runs.all_of(liked(size) if filled else started(name, size), "others_cores"), 2),
    ]
