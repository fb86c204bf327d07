"""Servers under measurement: started on a free port with a fresh folder, looked at from outside, stopped by their id."""
import http.client
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

PATIENCE = 20

# Seconds between two looks at a server that starts.
LOOK = 0.0002


def get(path):
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()


# What a server is asked to see whether it runs, and how it answers then.
ANY_ANSWER = (get("/"), b"HTTP/1.")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A server process and its children. As a context it runs, with a temporary folder of its own.

    `command` gives the command line for a folder and a port. With `announces`, the server picks the port itself and logs
    its address. It runs when an answer to `probe` begins as it should. Its cost is also that of the running servers `behind` it,
    which do a part of its work.
    """

    def __init__(self, name, command, announces=False, probe=ANY_ANSWER, behind=(), environment=None):
        self.name, self.command, self.announces, self.probe, self.behind = name, command, announces, probe, behind
        self.environment = {**os.environ, **(environment or {})}

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="likesd-bench-")
        try:
            self.start()
        except BaseException:
            shutil.rmtree(self.folder)
            raise
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder)

    def start(self):
        """Starts it in its folder, which it may have used before. `start_seconds` is how long it took until it answered."""
        self.port = 0 if self.announces else free_port()
        with open(self.log_file, "wb") as log:
            begun = time.monotonic()
            # In a session of its own an interrupt reaches only the driver, and the scheduler sees a group of its own.
            self.process = subprocess.Popen(
                self.command(self.folder, self.port),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=self.environment,
            )
        try:
            self._wait_until_it_answers()
        except BaseException:
            self.stop()
            raise
        self.start_seconds = time.monotonic() - begun

    def answers(self):
        request, beginning = self.probe
        try:
            with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as connection:
                connection.sendall(request)
                return connection.recv(64).startswith(beginning)
        except OSError:
            return False

    @property
    def log_file(self):
        return os.path.join(self.folder, "log")

    def log(self):
        with open(self.log_file, errors="replace") as file:
            return file.read()

    def request(self, method, path, body=None):
        """The status of one request."""
        return self.ask(method, path, body)[0]

    def ask(self, method, path, body=None):
        """The status of one request, and the body of its answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            headers = {"Content-Type": "application/json"} if body else {}
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def cpu_seconds(self):
        """What all threads of the process and its children have used so far."""
        return sum(cpu_seconds_of(process) for process in self._processes())

    def memory(self):
        """Bytes of memory that belong to it: its proportional set size."""
        return sum(memory_of(process, "Pss") for process in self._processes())

    def resident(self):
        """Bytes of memory that it uses, also of those that others use too."""
        return sum(memory_of(process, "Rss") for process in self._processes())

    def _processes(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            children = list(map(int, file.read().split()))
        return [self.process.pid, *children, *(process for server in self.behind for process in server._processes())]

    def _wait_until_it_answers(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} has ended with status {self.process.returncode}: {self.log()}")
            if self.announces and (url := re.search(r'"url":"http://127\.0\.0\.1:(\d+)"', self.log())):
                self.port = int(url[1])
            if self.port and self.answers():
                return
            time.sleep(LOOK)
        raise RuntimeError(f"{self.name} does not answer: {self.log()}")

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def cpu_seconds_of(process):
    """By the process's own clock (clock_getcpuclockid): /proc counts in hundredths of a second."""
    return time.clock_gettime(~process << 3 | 2)


def memory_of(process, kind):
    with open(f"/proc/{process}/smaps_rollup") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith(f"{kind}:"))
