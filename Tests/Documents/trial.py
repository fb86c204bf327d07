"""Plants a fault of each kind, and near misses, and sees what is found: `python -m Documents.trial`."""

import pathlib
import tempfile
import unittest

from Documents import facts, links, trying, untried
from Documents.__main__ import stale
from Documents.blocks import Command, Faulty, commands, fenced
from Documents.forms import matches
from Documents.untried import Untried

PAGE = "page.md"

SHOWN = '{"at":"2026-11-30T05:57:55.324Z","likesCount":1}'


class Blocks(unittest.TestCase):
    """What is a command, and what is shown of it."""

    def test_sh(self):
        """Each command by itself: lines that go on, texts of several lines, no remarks and no empty lines."""
        page = "```sh\n# one\nmake run     # builds\n\necho \\\n  a\ncat <<E\nb\nE\necho '  # c'\n```\n"
        page += "```js\nno()\n```\n"
        found = [(command.line, command.text, command.shown) for command in commands(PAGE, page)]
        self.assertEqual(
            found,
            [(3, "make run", None), (5, "echo \\\n  a", None), (7, "cat <<E\nb\nE", None), (10, "echo '  # c'", None)],
        )

    def test_console(self):
        """What a command prints ends with the next one; the block may stand in a list."""
        page = "1. So:\n   ```console\n   $ one\n   1\n\n   2\n   $ two\n   ```\n"
        found = [(command.line, command.text, command.shown) for command in commands(PAGE, page)]
        self.assertEqual(found, [(3, "one", "1\n\n2"), (7, "two", "")])

    def test_faults(self):
        """A block of an unknown kind, one without an end, output without a command, a command without an end."""
        kinds = ["```shell\nls\n```\n", "```bash {.x}\n```\n", "```sh\nls\n"]
        for page in [*kinds, "```console\nls\n```\n", "```sh\necho '\n```\n"]:
            with self.subTest(page), self.assertRaises(Faulty):
                list(fenced(PAGE, page))
                commands(PAGE, page)


class Forms(unittest.TestCase):
    """What is printed, and what is shown."""

    def test_varying(self):
        """Times, places and durations may differ."""
        self.assertTrue(matches(SHOWN, '{"at":"2027-01-01T00:00:00Z","likesCount":1}\n'))
        self.assertTrue(matches("id: ee3bc6e0ed7c8ac4.4\nin 12 ms", "id: 0123456789abcdef.17\nin 7 ms\n"))
        self.assertTrue(matches("a\n…\nz", "a\nb\nc\nz\n"))

    def test_different(self):
        """Another value, another member, an order that is not shown, more than is shown, less."""
        for printed in [
            SHOWN.replace("1}", "2}"),
            SHOWN.replace("at", "likedAt"),
            '{"likesCount":1,"at":"2026-11-30T05:57:55.324Z"}',
            SHOWN + "\n" + SHOWN,
            "",
            SHOWN.replace("T05", " 05"),
        ]:
            with self.subTest(printed):
                self.assertFalse(matches(SHOWN, printed))


class Trying(unittest.TestCase):
    """What commands do, with a real server."""

    def found(self, *texts, entries=(), streams={}):
        """Runs commands, `(text, shown)` or the text alone."""
        page = [
            Command(PAGE, number, *(text if isinstance(text, tuple) else (text, None)))
            for number, text in enumerate(texts)
        ]
        return list(trying.findings(page, entries, streams))

    def test_commands(self):
        """They share a folder and a server, which can be stopped and is as it was when it starts again."""
        news = "curl --fail -X PUT localhost:8080/v1/news/1 -H 'Content-Type: application/json' -d '{\"title\":\"t\"}'"
        self.assertEqual(
            self.found(
                "likesd serve --port 8080 --data ./data",
                news + " > answer",
                ("grep -c '\"likesCount\":0' answer", "1"),
                "systemctl stop likesd",
                ("likesd verify --data /var/lib/likesd | cut -d , -f 1-3", '{"drift":0,"orphans":0,"news":1'),
                "systemctl start likesd",
                ("curl localhost:8080/v1/profiles/ada", '{"user":"ada",…}'),
                ("echo localhost:8080 in /var/lib/likesd", "localhost:8080 in /var/lib/likesd"),
                "likesd health",
            ),
            [],
        )

    def test_faults(self):
        """A status, also of the first of two commands; other output; a server that does not start; streams."""
        stream = "curl -N localhost:8080/v1/nothing"
        faults = [
            "curl --fail localhost:8080/v1/news/1",
            "false | cat",
            ("curl localhost:8080/healthz", '{"status":"well"}'),
            ("curl localhost:8080/healthz", ""),
            "likesd serve --prot 8080",
            (stream, "id: 0123456789abcdef.0"),
        ]
        found = self.found(*faults, streams={(PAGE, stream): ("PUT", "/v1/news/1")})
        self.assertEqual(len(found), len(faults), "\n".join(found))

    def test_untried(self):
        """What is not run is held against what is there."""
        entries = [
            Untried(PAGE, "make .*", "", untried.make_fault),
            Untried(PAGE, "Scripts/.*", "", untried.script_fault),
            Untried(PAGE, ".* -m Browser .*", "", untried.browser_fault),
        ]
        fine = [
            "make test ARGS=\"--filter 'DocumentTests|LikesCoreTests'\"",
            'make bench ARGS="fan-out --readers 1000"',
        ]
        self.assertEqual(self.found(*fine, "Scripts/fuzz.sh FILE", "python -m Browser live", entries=entries), [])
        faults = [
            "make nothing",
            'make test ARGS="--filter NothingTests"',
            'make bench ARGS="nothing"',
            'make bench ARGS="fan-out --nothing"',
            "Scripts/nothing.sh",
            "python -m Browser nothing",
            "python -m Browser likes.Likes.test_nothing",
        ]
        self.assertEqual(len(self.found(*faults, entries=entries)), len(faults))


class Tables(unittest.TestCase):
    """Entries that no document needs."""

    def test_stale(self):
        self.assertEqual(len(list(stale([]))), len(untried.UNTRIED) + len(untried.STREAMS))


class Links(unittest.TestCase):
    """Files and headings that are not there."""

    def test_links(self):
        with tempfile.TemporaryDirectory() as folder:
            project = pathlib.Path(folder)
            (project / "other.md").write_text("# One, `two` & three\n```sh\n# none\n```\n")
            page = "# Here\n[a](other.md) [b](other.md#one-two--three) [c](#here)\n"
            page += "[![d](other.md)](https://a.example) `[x](no)`\n"
            (project / PAGE).write_text(page)
            self.assertEqual(list(links.findings(project, PAGE, page)), [])
            for link in [
                "[a](none.md)",
                "[a](other.md#none)",
                "[a](#none)",
                "![a](none.png)",
                "[![a](none.png)](other.md)",
            ]:
                with self.subTest(link):
                    self.assertEqual(len(list(links.findings(project, PAGE, link + "\n"))), 1)


class Facts(unittest.TestCase):
    """What stands in two places, and is not the same."""

    def test_events(self):
        sources = 'Log.entry(.info, "one")\nLog.entry(\n  .error, "two") { }'
        document = "## Log events\n\n| `one` | info | it |\n| `two` | error | it |\n"
        document += "\n## Next\n\n| `three` | info | no |\n"
        listed = facts.rows(document, "Log events")
        self.assertEqual(list(facts.event_findings(sources, listed)), [])
        for other in [{}, {**listed, "four": "info"}, {**listed, "two": "info"}]:
            self.assertNotEqual(list(facts.event_findings(sources, other)), [])

    def test_alerts(self):
        alerts = "      - alert: One\n        expr: rate(likesd_x_seconds_bucket[5m]) > likesd_y\n"
        both = {"likesd_x_seconds", "likesd_y"}
        self.assertEqual(list(facts.alert_findings(alerts, {"One"}, both)), [])
        for listed, metrics in [(set(), both), ({"One", "Two"}, both), ({"One"}, {"likesd_y"})]:
            self.assertEqual(len(list(facts.alert_findings(alerts, listed, metrics))), 1)

    def test_metrics(self):
        text = "# HELP likesd_news it\n# TYPE likesd_news gauge\nlikesd_news 1\n"
        self.assertEqual(list(facts.metric_findings(text, {"likesd_news"})), [])
        for listed in [set(), {"likesd_news", "likesd_users"}]:
            self.assertEqual(len(list(facts.metric_findings(text, listed))), 1)

    def test_names(self):
        contract = "paths:\n  /v1/news/{id}:\n    get:\n  /v1/admin/verify:\n"
        page = "`--port 80` and `LIKESD_PORT`; `GET`, `PUT /v1/news/{id}?viewer=a`; `/v1/admin/`\n"
        page += "```sh\ncurl /v1/a --b\n```\n"
        self.assertEqual(list(facts.name_findings(PAGE, page, "  --port PORT   LIKESD_PORT  ", contract)), [])
        for fault in ["`--prot`", "`--por`", "LIKESD_POR", "`GET /v1/news/{id}/likes`", "`/v1/new`"]:
            with self.subTest(fault):
                found = list(facts.name_findings(PAGE, fault, "  --port PORT   LIKESD_PORT  ", contract))
                self.assertEqual(len(found), 1)

    def test_figures(self):
        readme = "## Figures\n\n| reads, 64 | 1,234 a second, p99 8.97 ms | 1.01 × C | again |\n"
        self.assertEqual(list(facts.figure_findings(readme, "| 1,234 (1,000 – 2,000) | 8.97 | 1.01 (0.9) |")), [])
        self.assertEqual(len(list(facts.figure_findings(readme, "| 11,234 | 8.97 | 1.012 | 1,2345"))), 2)


if __name__ == "__main__":
    unittest.main()
