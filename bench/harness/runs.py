"""The runs of a part: each setting once a round, again when others disturbed it, and what failed."""
import sys
import time

from harness.client import RunFailed
from harness.report import median


class Count(int):
    """A number in a setting, and what it counts."""

    def __new__(cls, number, noun):
        count = super().__new__(cls, number)
        count.noun = noun
        return count

    def __str__(self):
        return f"{int(self):,} {self.noun}{'' if self == 1 else 's'}"


def measured(settings, run, options):
    """The runs of all settings, each by `run`, which takes what the setting has and the options."""
    runs = Runs(options, options.rounds * len(settings))
    runs.measure(settings, lambda *setting: run(*setting, options))
    return runs


class Runs:
    """Figures by setting and round, of so many `planned` runs."""

    def __init__(self, options, planned):
        self.options = options
        self.planned = planned
        # What is missing in the figures, and what failed but went well when it was repeated.
        self.failures, self.notes = [], []
        self._figures = {}
        self._done, self._repeats, self._begun = 0, 0, time.monotonic()

    def measure(self, settings, run):
        """Each setting once a round, up in one round and down in the next, so that none always follows the same one."""
        for turn in range(self.options.rounds):
            for setting in settings[:: -1 if turn % 2 else 1]:
                self.add(turn, setting, lambda: run(*setting))

    def add(self, turn, setting, run):
        """Calls `run` until others take no more than is bearable meanwhile, and keeps its least disturbed figures."""
        name = f"round {turn + 1}, {named(setting)}"
        best, failed = None, []
        for attempt in range(self.options.tries):
            try:
                figures = run()
            except RunFailed as failure:
                failed.append(f"{name}: {failure}")
                print(f"failed: {failed[-1]}", file=sys.stderr, flush=True)
                continue
            if best is None or figures["others_cores"] < best["others_cores"]:
                best = figures
            if best["others_cores"] <= self.options.bearable or not self._may_repeat(attempt):
                break
        self._done += 1
        if best is None:
            self.failures += failed[-1:]
        else:
            self.notes += failed
            self._figures.setdefault(setting, {})[turn] = best
            print(f"{self._progress()} {name}: {summary(best)}", flush=True)

    def all_of(self, setting, key, scale=1.0):
        """That figure of all rounds."""
        return [scale * figures[key] for figures in self._figures.get(setting, {}).values() if key in figures]

    def ratios(self, key, setting, others, better):
        """The figure over the better one of the others, for each round that has them all."""
        mine = self._figures.get(setting, {})
        theirs = [self._figures.get(other, {}) for other in others]
        return [
            mine[turn][key] / better(figures[turn][key] for figures in theirs)
            for turn in mine
            if all(turn in figures for figures in theirs)
        ]

    def cores(self, setting):
        """Cells of a table: what the server, its client and all others took."""
        return [median(self.all_of(setting, f"{who}_cores"), 2) for who in ("server", "client", "others")]

    def failure_report(self):
        return listed("Failed, with no good run in that round", self.failures) + listed(
            "Failed, and went well when repeated", self.notes
        )

    def _may_repeat(self, attempt):
        """Whether a disturbed run is repeated; counts it if so."""
        if attempt + 1 == self.options.tries or self._repeats == self.options.repeats:
            return False
        self._repeats += 1
        return True

    def _progress(self):
        left = (self.planned - self._done) * (time.monotonic() - self._begun) / self._done
        return f"[{self._done}/{self.planned}, {left / 60:.1f} min left]"


def listed(title, lines):
    return "".join([f"\n{title}:\n\n", *(f"* {line}\n" for line in lines)]) if lines else ""


def named(setting):
    return ", ".join(f"{part:,} readers" if type(part) is int else str(part) for part in setting)


def summary(figures):
    return ", ".join(f"{name} {value:.6g}" for name, value in figures.items())
