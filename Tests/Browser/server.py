"""The server under test: the real binary on a free port, and its API as any other client calls it."""

import ctypes
import datetime
import http.client
import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import urllib.parse

BINARY = os.environ.get("LIKESD_BINARY") or os.path.join(os.getcwd(), ".build/release/likesd")

# Seconds until a server listens, answers or ends; far more than it needs.
PATIENCE = 30

PR_SET_PDEATHSIG = 1


def die_with_the_parent():
    """In the child, before it is the server: however the tests end, no server outlives them."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def path(*segments):
    """An address whose segments are ids, each percent-encoded as a whole."""
    return "".join("/" + urllib.parse.quote(segment, safe="") for segment in segments)


class Answer:
    """What the server has answered; names of headers in small letters."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    def json(self):
        return json.loads(self.body) if self.body else None


class Server:
    """A server with its likes in memory or, when `durable`, in a folder that outlives it: `kill` it and `start` it again."""

    def __init__(self, *flags, durable=False):
        self.port, self.flags = 0, flags
        self.folder = tempfile.mkdtemp(prefix="likesd-browser-") if durable else None
        self.process = None
        self._time = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    # --- Its life -----------------------------------------------------------------------------------------------------
    def start(self):
        """Starts it on a free port, or the one it had before, and waits until it says that it listens."""
        place = ["--data", self.folder] if self.folder else ["--in-memory"]
        self.process = subprocess.Popen(
            [BINARY, "serve", "--port", str(self.port), *place, *self.flags],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=die_with_the_parent,
        )
        addresses = queue.SimpleQueue()
        threading.Thread(target=self._follow, args=(self.process, addresses.put), daemon=True).start()
        self.port = urllib.parse.urlsplit(addresses.get(timeout=PATIENCE)).port
        if self.port is None:
            raise RuntimeError(f"{BINARY} has ended with status {self.process.wait(PATIENCE)}: {self.said}")

    def _follow(self, process, listening):
        """Reads what it says to the end, so that it never waits for a reader."""
        self.said = ""
        with process.stderr as lines:
            for line in lines:
                self.said += line
                if '"event":"listening"' in line:
                    listening(json.loads(line)["url"])
        listening("")

    def kill(self):
        """As a power cut does: nothing is said to anybody."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Ends it for good, and removes what it has written."""
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        finally:
            self.kill()
            if self.folder:
                shutil.rmtree(self.folder)

    # --- Its API ------------------------------------------------------------------------------------------------------
    def ask(self, method, target, body=None, **headers):
        """The answer to one request, whatever it is. `If_None_Match="…"` is a header."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        try:
            connection.request(method, target, None if body is None else json.dumps(body), sent)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def call(self, method, target, body=None):
        """What was answered, which has to be a success."""
        answer = self.ask(method, target, body)
        if not 200 <= answer.status < 300:
            raise RuntimeError(f"{method} {target}: {answer.status} {answer.body}")
        return answer.json()

    def make(self, news, title=None, **members):
        """Makes a news, or changes it."""
        self.call("PUT", "/v1" + path("news", news), {"title": title or f"Title of {news}", **members})

    def make_many(self, identifiers, **members):
        """Makes many news, published a minute apart, the last of them the newest; those of `make` are newer still."""
        entries = [
            {"id": news, "title": f"Title of {news}", "publishedAt": self._later(), **members} for news in identifiers
        ]
        self._expect_no_failure(self.call("POST", "/v1/news", entries))

    def _later(self):
        self._time += datetime.timedelta(minutes=1)
        return self._time.isoformat()

    def delete(self, news):
        self.call("DELETE", "/v1" + path("news", news))

    def merge(self, news, into):
        self.call("POST", "/v1" + path("news", news, "merge"), {"into": into})

    def like(self, news, *users):
        """Likes a news on behalf of users, in this order."""
        self.change([("like", news, user) for user in users])

    def unlike(self, news, *users):
        self.change([("unlike", news, user) for user in users])

    def change(self, changes):
        """Likes and unlikes, `(op, news, user)` each, in one request."""
        entries = [{"op": operation, "news": news, "user": user} for operation, news, user in changes]
        self._expect_no_failure(self.call("POST", "/v1/likes", entries))

    def _expect_no_failure(self, answer):
        if answer["failed"]:
            raise RuntimeError(f"refused: {answer}")

    def count(self, news):
        return self.call("GET", "/v1" + path("news", news))["likesCount"]

    def likers(self, news):
        """Who likes a news, the newest like first; up to 1,000."""
        answer = self.call("GET", "/v1" + path("news", news, "likes") + "?limit=1000")
        return [like["user"] for like in answer["likes"]]

    def numbers(self, user):
        """The likes given, and the likes received."""
        profile = self.call("GET", "/v1" + path("profiles", user))
        return profile["numberOfGivenLikes"], profile["numberOfReceivedLikes"]
