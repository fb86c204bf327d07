"""Servers under measurement: started on a free port with a fresh folder, looked at from outside, stopped by their id."""
import http.client
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

from harness import machine

PATIENCE = 20


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A server process and its children. As a context it runs, with a temporary folder of its own.

    `command` gives the command line for a folder and a port. With `announces`, the server picks the port itself and logs
    its address.
    """

    def __init__(self, name, command, announces=False):
        self.name, self.command, self.announces = name, command, announces

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="likesd-bench-")
        self.port = 0 if self.announces else free_port()
        with open(self.log_file, "wb") as log:
            # In a session of its own an interrupt reaches only the driver, and the scheduler sees a group of its own.
            self.process = subprocess.Popen(
                self.command(self.folder, self.port),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            self._wait_until_it_answers()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        self._stop()

    @property
    def log_file(self):
        return os.path.join(self.folder, "log")

    def log(self):
        with open(self.log_file, errors="replace") as file:
            return file.read()

    def request(self, method, path, body=None):
        """The status of one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            headers = {"Content-Type": "application/json"} if body else {}
            connection.request(method, path, body, headers)
            return connection.getresponse().status
        finally:
            connection.close()

    def cpu_seconds(self):
        """What all threads of the process and its children have used so far."""
        return sum(cpu_seconds_of(process) for process in self._processes())

    def memory(self):
        """Bytes of memory that belong to it: its proportional set size."""
        return sum(memory_of(process) for process in self._processes())

    def _processes(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            return [self.process.pid, *map(int, file.read().split())]

    def _wait_until_it_answers(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} has ended with status {self.process.returncode}: {self.log()}")
            if self.announces and (url := re.search(r'"url":"http://127\.0\.0\.1:(\d+)"', self.log())):
                self.port = int(url[1])
            try:
                self.request("GET", "/")
                return
            except OSError:
                time.sleep(0.01)
        raise RuntimeError(f"{self.name} does not answer: {self.log()}")

    def _stop(self):
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder)


def cpu_seconds_of(process):
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / machine.TICKS


def memory_of(process):
    with open(f"/proc/{process}/smaps_rollup") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith("Pss:"))
