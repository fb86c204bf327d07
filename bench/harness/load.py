"""One measured run of a load client that begins when it is started and prints its figures when it has run."""

import json
import os
import subprocess
import tempfile
import time

from harness import machine
from harness.client import PATIENCE, ROOT, RunFailed

SCRIPT = os.path.join(ROOT, "bench", "requests", "load.lua")

# From so many connections on, wrk gets a second thread.
MANY_CONNECTIONS = 65


def wrk(server, options, path="/", connections=64, load=(), threads=None):
    """The figures of requests/load.lua with this load, in which every answer has to be 2xx."""
    threads = threads or (2 if connections >= MANY_CONNECTIONS else 1)
    url = f"http://127.0.0.1:{server.port}{path}"
    count = ["-t", str(threads), "-c", f"{connections:d}", "-d", f"{options.seconds}s"]
    figures = measured(server, options, ["wrk", *count, "-s", SCRIPT, url, "--", *map(str, load)])
    if figures["refused"] or figures["broken"]:
        raise RunFailed(f"{figures['refused']:.0f} requests were refused, {figures['broken']:.0f} got no answer")
    figures["requests_per_second"] = figures["requests"] / figures["seconds"]
    figures["cpu_us"] = 1e6 * figures["server_seconds"] / figures["requests"]
    return figures


def measured(server, options, command):
    """What the client prints in its last line, and what it, the server and others used meanwhile."""
    machine.wait_until_quiet(options.patience)
    memory = server.resident()
    used, busy, start = server.cpu_seconds(), machine.busy_seconds(), time.monotonic()
    said, client_seconds = output(command, options.seconds + PATIENCE)
    seconds = time.monotonic() - start
    used = server.cpu_seconds() - used
    others = machine.busy_seconds() - busy - used - client_seconds
    return {
        **json.loads(said.strip().splitlines()[-1]),
        "server_seconds": used,
        "server_cores": used / seconds,
        "client_cores": client_seconds / seconds,
        "others_cores": max(0, others / seconds),
        "resident_before": memory,
        "resident_after": server.resident(),
    }


def output(command, patience):
    """What a process prints, and the processor time that it took."""
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as complaints:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=said, stderr=complaints, start_new_session=True
        )
        clock = time.monotonic() + patience
        try:
            while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                if time.monotonic() > clock:
                    raise RunFailed(f"{command[0]} does not end")
                time.sleep(0.02)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            if process.returncode is None:
                process.kill()
                process.wait()
        said.seek(0)
        complaints.seek(0)
        if process.returncode != 0:
            raise RunFailed(f"{os.path.basename(command[0])}: {complaints.read().strip() or said.read().strip()}")
        return said.read(), usage.ru_utime + usage.ru_stime
