"""The servers that requests are measured on: likesd, the peers in C and Go, nginx, and webdis with Redis behind it."""

import contextlib
import itertools
import json
import os
import socket
import string

from harness import client
from harness.processes import Server, get
from parts.servers import LIKESD, NGINX

SOURCES = os.path.join(client.ROOT, "bench", "requests")
PATIENT = 300


def likesd(*flags, workers=None, environment=None, name="likesd"):
    if workers:
        flags += ("--workers", f"{workers:d}")

    def command(folder, port):
        return [
            LIKESD,
            "serve",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--data",
            os.path.join(folder, "data"),
            *flags,
        ]

    return Server(name, command, probe=(get("/readyz"), b"HTTP/1.1 200"), environment=environment)


def c_peer(workers=1, environment=None):
    program = os.path.join(client.BUILD, "read-peer")
    return Server("C", lambda _, port: [program, str(port), f"{workers:d}"], environment=environment)


def go_peer():
    program = os.path.join(client.BUILD, "like-peer")
    return Server("Go", lambda folder, port: [program, str(port), os.path.join(folder, "likes.db")])


def nginx(workers=1, answer="{}"):
    def command(folder, port):
        os.chmod(folder, 0o755)  # the worker may be another user
        with open(os.path.join(SOURCES, "nginx.conf")) as file:
            text = string.Template(file.read()).substitute(
                folder=folder, port=port, workers=f"{workers:d}", answer=answer
            )
        configuration = os.path.join(folder, "nginx.conf")
        with open(configuration, "w") as file:
            file.write(text)
        return [NGINX, "-p", folder, "-c", configuration, "-e", os.path.join(folder, "error.log")]

    return Server("nginx", command)


class Redis(Server):
    """Redis without snapshots by itself; durable with `always`, else only when told to SAVE."""

    def __init__(self, always=False):
        kept = ["--appendonly", "yes", "--appendfsync", "always"] if always else ["--appendonly", "no"]

        def command(folder, port):
            place = ["--bind", "127.0.0.1", "--port", str(port), "--dir", folder]
            return ["redis-server", *place, "--save", "", "--tcp-backlog", "4096", "--daemonize", "no", *kept]

        super().__init__("Redis", command, probe=(b"PING\r\n", b"+PONG"))

    def ask_redis(self, *words):
        """The answer to a command, when that is one line or one text."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENT) as connection:
            parts = [f"*{len(words)}\r\n"] + [f"${len(str(word).encode())}\r\n{word}\r\n" for word in words]
            connection.sendall("".join(parts).encode())
            answer = connection.makefile("rb")
            line = answer.readline().decode().strip()
            if line.startswith("-"):
                raise RuntimeError(f"Redis: {line[1:]}")
            return answer.read(int(line[1:])).decode() if line.startswith("$") else line[1:]

    def fill(self, commands):
        """Sends commands without waiting for their answers."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENT) as connection:
            connection.sendall(b"CLIENT REPLY OFF\r\n")
            while some := b"".join(itertools.islice(commands, 100)):
                connection.sendall(some)
            connection.sendall(b"CLIENT REPLY ON\r\n")
            if connection.recv(64) != b"+OK\r\n":
                raise RuntimeError("Redis has not taken the likes")


@contextlib.contextmanager
def webdis_with_redis():
    """webdis, which speaks HTTP for a Redis that writes every command to the disk before it answers."""
    with Redis(always=True) as redis, webdis(redis) as server:
        yield server


def webdis(redis):
    def command(folder, port):
        configuration = os.path.join(folder, "webdis.json")
        settings = {
            "redis_host": "127.0.0.1",
            "redis_port": redis.port,
            "redis_auth": None,
            "database": 0,
            "http_host": "127.0.0.1",
            "http_port": port,
            "http_max_request_size": 8 * 1024 * 1024,
            "threads": os.cpu_count(),
            "pool_size": 20,
            "daemonize": False,
            "websockets": False,
            "acl": [],
            "verbosity": 0,
            "logfile": os.path.join(folder, "webdis.log"),
        }
        with open(configuration, "w") as file:
            json.dump(settings, file)
        return ["webdis", configuration]

    return Server("webdis", command, probe=(get("/PING"), b"HTTP/1.1 200"), behind=(redis,))


# A like as likesd keeps it: who likes a news, what a user likes, and the count. It is idempotent, and in one piece.
LIKE = """
local added = redis.call('SADD', 'n:' .. ARGV[1], ARGV[2])
redis.call('SADD', 'u:' .. ARGV[2], ARGV[1])
if added == 1 then return redis.call('INCR', 'c:' .. ARGV[1]) end
return tonumber(redis.call('GET', 'c:' .. ARGV[1]))
"""

# The same for as many pairs as there are.
LIKES = """
local counts = {}
for index = 1, #ARGV, 2 do
  local news, user = ARGV[index], ARGV[index + 1]
  local added = redis.call('SADD', 'n:' .. news, user)
  redis.call('SADD', 'u:' .. user, news)
  if added == 1 then counts[#counts + 1] = redis.call('INCR', 'c:' .. news)
  else counts[#counts + 1] = tonumber(redis.call('GET', 'c:' .. news)) end
end
return counts
"""

# The sum of the counts of the news 1 to ARGV[1].
SUM = """
local sum = 0
for news = 1, tonumber(ARGV[1]) do sum = sum + tonumber(redis.call('GET', 'c:' .. news) or 0) end
return sum
"""


def make_news(server, count, title="A title of a usual length, in words"):
    """The news 1 to count, in likesd."""
    for first in range(1, count + 1, 1000):
        some = range(first, min(first + 1000, count + 1))
        ask(server, "POST", "/v1/news", [{"id": str(number), "title": title} for number in some])


def make_likes(server, pairs):
    """Up to 10,000 likes, each of a news by a user, in likesd."""
    ask(server, "POST", "/v1/likes", [{"op": "like", "news": str(news), "user": user} for news, user in pairs])


def ask(server, method, path, body=None):
    """What likesd says, which has to be a success without a failed entry."""
    status, said = server.ask(method, path, json.dumps(body) if body is not None else None)
    if not 200 <= status < 300 or (said and json.loads(said).get("failed")):
        raise RuntimeError(f"likesd answers {status} to {method} {path}: {said[:200]!r}")
    return json.loads(said)
