"""The load client (fan-out/client.c) as the driver sees it, and one measured run of it against a server."""
import json
import os
import select
import subprocess
import time

from harness import machine

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, ".build", "bench")

# Seconds for its readers to connect or its last messages to arrive; it gives up earlier by itself, and says why.
PATIENCE = 60


class RunFailed(RuntimeError):
    """A reader lost a message or got one twice, a publish was refused, or a stream ended."""


class Client:
    """The client process; as a context, its publishers are connected and have published."""

    def __init__(self, port, seconds, **options):
        self.seconds = seconds
        self.command = [os.path.join(BUILD, "client"), "--port", str(port), "--seconds", str(seconds)]
        for name, value in options.items():
            if value is True:
                self.command.append(f"--{name}")
            elif value is not None:
                self.command += [f"--{name}", str(value)]

    def __enter__(self):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(self.command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        self._line()
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.stdout.close()
            self.process.stderr.close()

    def open_readers(self):
        """Returns when all are open and have received a first message."""
        self._go_on()
        self._line()

    def run(self):
        """Lets it publish, and gives its figures."""
        self._go_on()
        return json.loads(self._line(self.seconds + PATIENCE))

    def _go_on(self):
        try:
            self.process.stdin.write(b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it has given up; what it said is read where its line is missing

    def _line(self, patience=PATIENCE):
        ready, _, _ = select.select([self.process.stdout], [], [], patience)
        line = self.process.stdout.readline().decode().strip() if ready else None
        if not line:
            self.process.kill()
            _, said = self.process.communicate()
            raise RunFailed(said.decode().strip() or "the client does not answer")
        return line


def measured(server, patience, **options):
    """The client's figures of one run, with what the server and others used meanwhile."""
    machine.wait_until_quiet(patience)
    with Client(server.port, **options) as client:
        empty = server.memory()
        client.open_readers()
        rest = server.memory()
        used, busy, start = server.cpu_seconds(), machine.busy_seconds(), time.monotonic()
        figures = client.run()
        seconds = time.monotonic() - start
        used = server.cpu_seconds() - used
        others = machine.busy_seconds() - busy - used - figures["client_cpu_seconds"]
        figures.update(
            server_cores=used / seconds,
            client_cores=figures["client_cpu_seconds"] / seconds,
            others_cores=max(0, others / seconds),
        )
        if figures["deliveries"]:
            figures["cpu_per_delivery_us"] = 1e6 * used / figures["deliveries"]
            figures["bytes_per_delivery"] = figures["bytes"] / figures["deliveries"]
        if options.get("readers"):
            figures["reader_bytes"] = (rest - empty) / options["readers"]
            figures["reader_bytes_after"] = (server.memory() - empty) / options["readers"]
    return figures
