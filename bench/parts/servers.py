"""The servers that are measured, and how one publishes to them and reads from them."""
import os
import shutil
import string

from harness import client
from harness.processes import Server

LIKESD = os.environ.get("LIKESD_BINARY", os.path.join(client.ROOT, ".build", "release", "likesd"))
# Debian keeps it where only root looks for programs.
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
NCHAN = "/usr/lib/nginx/modules/ngx_nchan_module.so"
SOURCES = os.path.join(client.ROOT, "bench", "fan-out")

# The news that is liked. Its id makes an event about as long as that of a news with a title in its address.
NEWS = "2026-11-30-what-the-fan-out-is-measured-with"

# About as long as what likesd says of a like; @ is where the client writes the number of the message.
MESSAGE = (
    '{"news":"' + NEWS + '","user":"@","likesCount":12345,"numberOfGivenLikes":1,'
    '"at":"2026-11-30T12:34:56.789Z","sequence":12345,"firstTime":true,"likeAdded":1}'
)


class Measured:
    """A kind of server, and the client's options for it."""

    def __init__(self, start, options, prepare=lambda server: None):
        self.start, self.options, self.prepare = start, options, prepare


def start_likesd(*flags):
    def command(folder, _):
        return [LIKESD, "serve", "--host", "127.0.0.1", "--port", "0", "--data", os.path.join(folder, "data"), *flags]

    return Server("likesd", command, announces=True)


def make_news(server):
    for news in (NEWS, "quiet"):
        status = server.request("PUT", f"/v1/news/{news}", '{"title": "Measured"}')
        if status != 201:
            raise RuntimeError(f"likesd answers {status} to a new news")


def start_nchan():
    def command(folder, port):
        os.chmod(folder, 0o755)  # the worker may be another user
        with open(os.path.join(SOURCES, "nginx.conf")) as file:
            text = string.Template(file.read()).substitute(folder=folder, port=port, module=NCHAN)
        configuration = os.path.join(folder, "nginx.conf")
        with open(configuration, "w") as file:
            file.write(text)
        return [NGINX, "-p", folder, "-c", configuration, "-e", os.path.join(folder, "error.log")]

    return Server("nchan", command)


def start_go():
    return Server("Go", lambda _, port: [os.path.join(client.BUILD, "peer"), str(port)])


PUBLISH = {"stream": "/stream", "method": "POST", "target": "/publish", "body": MESSAGE}

SERVERS = {
    "likesd": Measured(
        start_likesd,
        {"stream": "/v1/events", "method": "PUT", "target": f"/v1/news/{NEWS}/likes/@"},
        make_news,
    ),
    "nchan": Measured(start_nchan, PUBLISH),
    "Go": Measured(start_go, PUBLISH),
}
