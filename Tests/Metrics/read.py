"""Reads the metrics of a server by the parser of Prometheus' own client library, and prints them as JSON.

    read.py URL      {"samples": {"name{label=value,…}": number}, "types": {"family": "counter"}}

Exit status 1, and what is wrong, when the text breaks a rule that the parser does not know of."""

import json
import sys
import urllib.request

from prometheus_client.parser import text_string_to_metric_families


def key(sample, leaving_out=()):
    labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()) if name not in leaving_out)
    return sample.name + (f"{{{labels}}}" if labels else "")


def check_histogram(family):
    """Buckets only grow, and the last one is the count."""
    last, counts = {}, {}
    for sample in family.samples:
        name = key(sample, leaving_out=["le"])
        if sample.name.endswith("_bucket"):
            if sample.value < last.get(name, 0):
                sys.exit(f"{name} shrinks at {sample.labels['le']}")
            last[name] = sample.value
            if sample.labels["le"] == "+Inf":
                counts[name.replace("_bucket", "_count")] = sample.value
        elif sample.name.endswith("_count") and counts.get(name) != sample.value:
            sys.exit(f"{name} is {sample.value}, and its last bucket {counts.get(name)}")


def main():
    with urllib.request.urlopen(sys.argv[1]) as answer:
        if answer.headers["Content-Type"] != "text/plain; version=0.0.4; charset=utf-8":
            sys.exit(f"the media type is {answer.headers['Content-Type']}")
        text = answer.read().decode()
    samples, types = {}, {}
    for family in text_string_to_metric_families(text):
        if family.name in types:
            sys.exit(f"{family.name} comes twice")
        if not family.documentation or family.type not in ("counter", "gauge", "histogram"):
            sys.exit(f"{family.name} has no help, or the type {family.type}")
        types[family.name] = family.type
        if family.type == "histogram":
            check_histogram(family)
        for sample in family.samples:
            if key(sample) in samples:
                sys.exit(f"{key(sample)} comes twice")
            samples[key(sample)] = sample.value
    print(json.dumps({"samples": samples, "types": types}))


main()
