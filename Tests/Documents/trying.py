"""Carries out the commands of a document, one after the other, as somebody who follows it would."""

import contextlib
import os
import queue
import re
import signal
import subprocess
import threading

from Documents.forms import matches
from Documents.world import World

# Seconds for which a command may work, or a stream may be silent: also on a machine that does much else.
PATIENCE = 120


def findings(commands, untried, streams):
    """What is wrong with the commands of one document."""
    to_run = []
    for command in commands:
        entry = next((entry for entry in untried if entry.covers(command)), None)
        if entry is None:
            to_run.append(command)
        elif fault := entry.fault(command.text):
            yield f"{command}\n{fault}"
    if to_run:
        with World() as world:
            for command in to_run:
                if finding := attempt(world, command, streams):
                    yield f"{command}\n{finding}"


def attempt(world, command, streams):
    """Carries a command out; what is wrong with it."""
    text = world.here(command.text)
    if service := re.fullmatch(r"systemctl (stop|start|restart) likesd", text):
        return manage(world, service[1])
    if re.match(r"(\.build/release/)?likesd serve\b", text):
        return serve(world, text)
    if key := next((key for key in streams if key == (command.document, command.text)), None):
        return listen(world, command, text, streams[key])
    return call(world, command, text)


def manage(world, verb):
    """In the place of systemd, which tests cannot count on: stops and starts the same server on the same folder."""
    if verb in {"stop", "restart"}:
        world.server.rest()
    if verb in {"start", "restart"}:
        world.server.start()


def call(world, command, text):
    """A command that ends by itself."""
    with started(world, text) as process:
        try:
            printed, said = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return f"does not end within {PATIENCE} s"
    if process.returncode:
        return f"ends with status {process.returncode}: {printed}{said}"
    return differs(command.shown, world.there(printed))


def differs(shown, printed):
    """What is wrong with what was printed."""
    if shown is None or matches(shown, printed):
        return None
    return f"the document shows:\n{shown}\nit prints:\n{printed.rstrip()}"


def serve(world, text):
    """A server of the document's own: that it listens, and ends well."""
    with started(world, "exec " + re.sub(r"--port[ =]\d+", "--port 0", text), port=0) as process:
        lines, said = follow(process.stderr), ""
        while '"event":"listening"' not in said:
            if (line := lines.get(timeout=PATIENCE)) is None:
                return f"does not listen: {said}"
            said = line
        process.terminate()
        status = process.wait(PATIENCE)
    return f"ends with status {status}" if status else None


def listen(world, command, text, trigger):
    """A stream: it is cut when as many lines have come as the document shows."""
    printed, wanted = [], len((command.shown or "id:").splitlines())
    with started(world, "exec " + text) as process:
        lines = follow(process.stdout)
        while len(printed) < wanted:
            try:
                line = lines.get(timeout=PATIENCE)
            except queue.Empty:
                return f"prints no more than: {''.join(printed)}"
            if line is None:
                return f"ends: {''.join(printed)}"
            # From its first place on the stream has all that happens.
            if line.startswith("id:") and not any(earlier.startswith("id:") for earlier in printed):
                world.server.call(*trigger)
            printed.append(line)
    return differs(command.shown, "".join(printed))


@contextlib.contextmanager
def started(world, text, port=None):
    """A command under way; it ends, with all that it has started, when it is let go of."""
    with world.spawn(text, port) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def follow(stream):
    """The lines of a stream, as they come; None at its end."""
    lines = queue.SimpleQueue()

    def read():
        for line in stream:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    return lines
