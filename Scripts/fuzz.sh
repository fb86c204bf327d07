#!/bin/bash
# Looks for inputs that break the parsers, for FUZZ_SECONDS (180 when absent): `make fuzz`.
#
# It begins with the corpus in Tests/Fixtures: written by hand, in parsers, and found, in parsers-found.base64, an input a
# line; and with what earlier runs found, in .build/fuzz. What is given to it goes to libFuzzer: the file of an input, to
# repeat just that one. `Scripts/fuzz.sh --keep` puts the found inputs that reach the most into the corpus.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=.build/fuzz
LIKESD_FUZZ=1 swift build -c release --scratch-path "$folder" --sanitize fuzzer -Xswiftc -enable-testing \
  --explicit-target-dependency-import-check error --product ParserFuzzer
mkdir -p "$folder/corpus" "$folder/found"
found=Tests/Fixtures/parsers-found.base64

# An input that breaks something is kept by libFuzzer itself, so the backtrace of Swift would come in its way.
export SWIFT_BACKTRACE=enable=no
if [ "${1:-}" = --keep ]; then
  rm -rf "$folder/kept"
  mkdir "$folder/kept"
  "$folder/release/ParserFuzzer" -merge=1 -max_len=4096 "$folder/kept" Tests/Fixtures/parsers "$folder/corpus"
  for input in "$folder"/kept/*; do
    base64 --wrap=0 "$input"
    echo
  done | awk '{ print length, $0 }' | sort -n | cut -d ' ' -f 2 >"$found"
  exit
fi
if [ $# -gt 0 ]; then exec "$folder/release/ParserFuzzer" "$@"; fi

number=0
while read -r input; do
  base64 --decode <<<"$input" >"$folder/corpus/kept-$((number += 1))"
done <"$found"

"$folder/release/ParserFuzzer" -max_total_time="${FUZZ_SECONDS:-180}" -max_len=4096 -rss_limit_mb=1024 -timeout=10 \
  -use_value_profile=1 -dict=Tests/Fixtures/parsers.dict -artifact_prefix="$folder/found/" -print_final_stats=1 \
  "$folder/corpus" Tests/Fixtures/parsers || {
  status=$?
  echo "
An input breaks something: the newest file in $folder/found. The same again:
  Scripts/fuzz.sh FILE
Once it is mended, the file goes to Tests/Fixtures/parsers, under a name that says what it is."
  exit $status
}
