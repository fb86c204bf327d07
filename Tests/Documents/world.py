"""What the commands of a document meet: a folder that looks like the project's, and a server."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from Browser.server import BINARY, PATIENCE, Server

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent

# Folders that documents name, which lie in the scratch folder here.
PLACES = ["/var/lib/likesd", "/var/backups", "/usr/local/bin"]


class World:
    """A scratch folder for one document, and the server that answers as localhost:8080 there; used by `with`."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="likesd-documents-")
        self._lay_out()
        self.server = SystemServer(self.inside("/var/lib/likesd"))
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.kill()
        shutil.rmtree(self.folder)

    def inside(self, path):
        """Where a folder of the system lies here."""
        return self.folder + path

    def _lay_out(self):
        for entry in PROJECT.iterdir():
            if entry.name not in {".build", ".git", "data"}:
                os.symlink(entry, os.path.join(self.folder, entry.name))
        for place in ["bin", ".build/release", *PLACES]:
            os.makedirs(os.path.join(self.folder, place.lstrip("/")))
        for name in ["bin/likesd", ".build/release/likesd"]:
            os.symlink(os.path.abspath(BINARY), os.path.join(self.folder, name))

    # --- Commands -----------------------------------------------------------------------------------------------------
    def here(self, text):
        """A command as it is typed here: only where the server and the folders are differs."""
        for place in PLACES:
            text = text.replace(place, self.inside(place))
        return text.replace("localhost:8080", f"localhost:{self.server.port}")

    def there(self, text):
        """What was printed, as it is printed where the document speaks of."""
        return text.replace(self.folder, "").replace(f"localhost:{self.server.port}", "localhost:8080")

    def spawn(self, text, port=None):
        """A shell that carries a command out."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LIKESD_")}
        environment["PATH"] = os.path.join(self.folder, "bin") + os.pathsep + environment["PATH"]
        environment["LIKESD_PORT"] = str(self.server.port if port is None else port)
        return subprocess.Popen(
            ["bash", "-o", "pipefail", "-c", text],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )


class SystemServer(Server):
    """The server that a system keeps, in a folder that is there before it and after it."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    def rest(self):
        """Stops it as a system does; it can be started again."""
        self.process.terminate()
        if status := self.process.wait(PATIENCE):
            sys.exit(f"documents: the server has ended with status {status}: {self.said}")
