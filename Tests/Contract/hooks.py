"""What schemathesis has to know of likesd beyond openapi.yaml, which says all that JSON Schema can say."""

import json
import re

import schemathesis
from hypothesis import strategies
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.openapi.checks import RejectedPositiveData

# --- Bodies of lines --------------------------------------------------------------------------------------------------
IDS = strategies.sampled_from(["9", "35", "40310", "https://a.example/b?c=1", "✨", "nobody-made-this"])
TITLES = strategies.text(min_size=1, max_size=20)
LINES = strategies.one_of(
    strategies.fixed_dictionaries({"id": IDS, "title": TITLES}, optional={"author": IDS}),
    strategies.fixed_dictionaries({"op": strategies.sampled_from(["like", "unlike"]), "news": IDS, "user": IDS}),
    strategies.fixed_dictionaries({"merged": IDS, "into": IDS}),
    TITLES,
)
schemathesis.openapi.format("lines", strategies.lists(LINES.map(json.dumps), max_size=20).map("\n".join))
schemathesis.serializer.alias("application/x-ndjson", "text/plain")


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """OpenAPI 3.1 has no words for the lines of application/x-ndjson; to it they are one string."""
    for path in raw_schema["paths"].values():
        lines = path.get("post", {}).get("requestBody", {}).get("content", {}).get("application/x-ndjson")
        if lines:
            lines["schema"]["format"] = "lines"


# --- What only the server can give out --------------------------------------------------------------------------------
GIVEN_TOKENS = []
GIVEN_CURSORS = set()
TOKEN = re.compile(r"[0-9a-f]{16}\.[0-9]{1,20}")


@schemathesis.hook
def before_call(context, case, kwargs):
    """Puts a token of this server, once there is one, in the place of one made up, which is of another journal.

    Where the request is meant to be valid, schemathesis makes up headers that are no tokens at all, too.
    """
    is_valid = case.meta and case.meta.generation.mode.is_positive
    for parameters, name in ((case.query, "min_sequence"), (case.headers, "Likes-Min-Sequence")):
        if parameters and name in parameters and (is_valid or TOKEN.fullmatch(str(parameters[name]))):
            del parameters[name]
            parameters.update({name: token for token in GIVEN_TOKENS})


@schemathesis.hook
def after_call(context, case, response):
    """Remembers the last token, and all cursors."""
    GIVEN_TOKENS[:] = response.headers.get("likes-sequence") or GIVEN_TOKENS
    if response.status_code == 200 and b'"next":' in response.content:
        GIVEN_CURSORS.add((list_of(response), response.json()["next"]))


def list_of(response):
    """The list that was asked for: its path and what else decides on its order."""
    address, _, query = response.request.url.partition("?")
    return address, tuple(sorted(part for part in query.split("&") if part.startswith(("sort=", "window="))))


# --- What is no failure -----------------------------------------------------------------------------------------------
@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Whether a failure is one."""
    if isinstance(failure, AcceptedNegativeData):
        return not refuses_an_entry(case, response)
    if isinstance(failure, RejectedPositiveData):
        return not refuses_made_up_cursor(case, response) and not refuses_window(case, response)
    return not is_of_the_library(response)


def refuses_an_entry(case, response):
    """In a body of many entries a bad one is refused by a result of its own: the answer is 200. No lines are no entries."""
    answer = response.json() if response.status_code == 200 and response.content else {}
    is_empty = case.media_type == "application/x-ndjson" and not response.request.body
    return is_empty or answer.get("failed", 0) + answer.get("refused", 0) > 0


def refuses_made_up_cursor(case, response):
    """A cursor is valid when the server gave it for this list. The answer to HEAD does not say what is refused."""
    if response.status_code != 400 or "cursor" not in (case.query or {}):
        return False
    is_given = (list_of(response), case.query["cursor"]) in GIVEN_CURSORS
    return not is_given and (case.method == "HEAD" or response.json()["code"] == "invalid_cursor")


def refuses_window(case, response):
    """OpenAPI has no words for a parameter that is allowed with one value of another: a window goes with sort=top."""
    query = case.query or {}
    return response.status_code == 400 and "window" in query and query.get("sort") != "top"


def is_of_the_library(response):
    """A head of more than 16 KiB never reaches likesd: libmicrohttpd refuses it with a page of its own."""
    return response.status_code in (414, 431) and response.content.startswith(b"<html>")
