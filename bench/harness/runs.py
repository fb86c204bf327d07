"""The runs of a part: each setting once a round, again when others disturbed it, and what failed."""
import sys

from harness.client import RunFailed


class Runs:
    """Figures by setting and round."""

    def __init__(self, options):
        self.options = options
        self.failures = []
        self._figures = {}

    def add(self, turn, setting, run):
        """Calls `run` until others take no more than is bearable meanwhile, and keeps its least disturbed figures."""
        best = None
        for _ in range(self.options.tries):
            try:
                figures = run()
            except RunFailed as failure:
                self._note_failure(turn, setting, failure)
                continue
            if best is None or figures["others_cores"] < best["others_cores"]:
                best = figures
            if best["others_cores"] <= self.options.bearable:
                break
        if best is not None:
            self._figures.setdefault(setting, {})[turn] = best
            print(f"round {turn + 1}, {named(setting)}: {summary(best)}", flush=True)

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

    def failure_report(self):
        return "".join(["\nFailed runs:\n\n", *(f"* {failure}\n" for failure in self.failures)]) if self.failures else ""

    def _note_failure(self, turn, setting, failure):
        self.failures.append(f"round {turn + 1}, {named(setting)}: {failure}")
        print(f"failed: {self.failures[-1]}", file=sys.stderr, flush=True)


def named(setting):
    return ", ".join(f"{part:,} readers" if isinstance(part, int) else part for part in setting)


def summary(figures):
    return ", ".join(f"{name} {value:.6g}" for name, value in figures.items())
