#!/usr/bin/env python3
"""Measures likesd beside its peers and writes what it saw to RESULTS.md in this folder.

    bench/run.py                        all parts
    bench/run.py fan-out --help         the options of one part
"""
import argparse
import os
import shlex
import signal
import sys

from harness import machine, report
from parts import batches, fan_out, growth, idle, idle_readers, likes, mixed, reads, workers

PARTS = {
    "reads": reads,
    "workers": workers,
    "likes": likes,
    "batches": batches,
    "growth": growth,
    "mixed": mixed,
    "idle": idle,
    "fan-out": fan_out,
    "idle-readers": idle_readers,
}


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part")
    for name, part in PARTS.items():
        options = parts.add_parser(name, description=part.__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
        options.add_argument("--rounds", type=int, default=3)
        options.add_argument("--patience", type=float, default=1, help="seconds to wait for a quiet machine before a run")
        options.add_argument("--bearable", type=float, default=0.2, help="cores; a run is repeated if others took more")
        options.add_argument("--tries", type=int, default=3, help="of a run that fails or that others disturb")
        options.add_argument("--repeats", type=int, default=8, help="of disturbed runs, in the whole part")
        options.add_argument("--output", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "RESULTS.md"))
        part.add_options(options)
    if arguments:
        return [parser.parse_args(arguments)]
    return [parser.parse_args([name]) for name in PARTS]


def main():
    machine.raise_descriptor_limit()
    failures = []
    for options in parsed(sys.argv[1:]):
        part = PARTS[options.part]
        command = shlex.join(["bench/run.py", *sys.argv[1:]])
        begun = machine.today()
        print(f"{part.TITLE}, {begun}", flush=True)
        text, failed = part.measure(options)
        failures += failed
        told = f"* {begun}: `{command}`\n* {machine.description()}\n* {text}"
        report.write_section(options.output, part.TITLE, told, order=[part.TITLE for part in PARTS.values()])
    if failures:
        sys.exit(f"bench: {len(failures)} runs have failed, however often they were tried")


if __name__ == "__main__":
    # Also when it is told to stop, it stops its servers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except (RuntimeError, OSError) as error:
        sys.exit(f"bench: {error}")
