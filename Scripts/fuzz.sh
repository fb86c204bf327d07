#!/bin/bash
# Looks for inputs that break the parsers, for FUZZ_SECONDS (180 when absent): `make fuzz`.
#
# It begins with the corpus in Tests/Fixtures/parsers and with what earlier runs found worth keeping, in .build/fuzz. What is
# given to it goes to libFuzzer: the file of an input, to repeat just that one.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=.build/fuzz
LIKESD_FUZZ=1 swift build -c release --scratch-path "$folder" --sanitize fuzzer -Xswiftc -enable-testing \
  --explicit-target-dependency-import-check error --product ParserFuzzer
mkdir -p "$folder/corpus" "$folder/found"

# An input that breaks something is kept by libFuzzer itself, so the backtrace of Swift would come in its way.
export SWIFT_BACKTRACE=enable=no
if [ $# -gt 0 ]; then exec "$folder/release/ParserFuzzer" "$@"; fi

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
