"""The machine that is measured on, and what others do on it meanwhile."""
import datetime
import os
import platform
import resource
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")


def busy_seconds():
    """What all processes together have used, in seconds of one core."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, soft_irq = map(int, file.readline().split()[1:8])
    return (user + nice + system + irq + soft_irq) / TICKS


def load_now(seconds=0.5):
    """The cores in use, measured over a moment in which the bench itself does nothing."""
    before, start = busy_seconds(), time.monotonic()
    time.sleep(seconds)
    return (busy_seconds() - before) / (time.monotonic() - start)


def wait_until_quiet(patience, enough=0.15):
    """Waits until others leave the machine alone, but not for ever."""
    end = time.monotonic() + patience
    while load_now() > enough and time.monotonic() < end:
        pass


def raise_descriptor_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def version_of(*command):
    """The first line of what a program says about itself, on either output."""
    said = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return said.stdout.strip().splitlines()[0] if said.stdout.strip() else "unknown"


def versions(likesd, *packages):
    """What is measured: likesd, and Debian packages."""
    known = [f"{name} {version_of('dpkg-query', '-W', '-f', '${Version}', name)}" for name in packages]
    return "; ".join([version_of(likesd, "version"), *known])


def description():
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown processor")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    return f"{os.cpu_count()} cores of {model}, {memory:.0f} GiB, {system}, Linux {platform.release()}"


def today():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
