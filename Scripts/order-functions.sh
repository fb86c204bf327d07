#!/usr/bin/env bash
# Lists the functions that a start and the first requests run, for the linker to lay side by side: Linking/functions.txt.
#
#   Scripts/order-functions.sh      watches .build/release/likesd under valgrind, and writes the list
#
# The system maps the pages around each one that is touched, so the fewer places the fewer pages are resident. A name
# that is not there any more does no harm. To be run when the toolchain has changed, or the test of the idle server's
# memory comes near its limit; then build again.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=.build/release/likesd
[[ -x $binary ]] || { echo "order-functions: no $binary; run: make build" >&2; exit 1; }
command -v valgrind >/dev/null || { echo 'order-functions: needs valgrind (apt-get install valgrind)' >&2; exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
valgrind --quiet --tool=callgrind --demangle=no --callgrind-out-file="$folder/calls" \
  "$binary" serve --port 0 --data "$folder/data" </dev/null >/dev/null 2>"$folder/log" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
until grep -q '"listening"' "$folder/log"; do
  kill -0 "$server" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
  sleep 0.2
done
url=$(sed -n 's/.*"listening","url":"\([^"]*\)".*/\1/p; s/.*"url":"\([^"]*\)".*/\1/p' "$folder/log" | head -n 1)

request() { curl --silent --show-error --output /dev/null --request "$1" "${@:3}" "$url$2"; }
for _ in 1 2; do
  request GET /healthz
  request GET /readyz
  request PUT /v1/news/n --header 'Content-Type: application/json' --data '{"title":"T"}'
  request PUT /v1/news/n/likes/u
  request GET '/v1/news/n?viewer=u'
  request GET '/v1/news?viewer=u'
  request GET '/v1/counts?news=n&viewer=u'
  request GET /v1/news/n/likes
  request GET /v1/profiles/u
  request GET /v1/profiles/u/likes
  request DELETE /v1/news/n/likes/u
done
kill "$server"
wait "$server"

# In callgrind's file a name stands where its number comes first; a function belongs to the object named before it.
awk -v binary="$(readlink -f "$binary")" '
  match($0, /^c?ob=\([0-9]+\)/) {
    number = substr($0, index($0, "("), index($0, ")") - index($0, "(") + 1)
    if (RLENGTH < length($0)) objects[number] = substr($0, RLENGTH + 2)
    if (/^ob/) own = objects[number] == binary
  }
  match($0, /^c?fn=\([0-9]+\)/) {
    number = substr($0, index($0, "("), index($0, ")") - index($0, "(") + 1)
    if (RLENGTH < length($0)) names[number] = substr($0, RLENGTH + 2)
    if (/^fn/ && own) found[number] = 1
  }
  END { for (number in found) print substr(number, 2) + 0, names[number] }' "$folder/calls" |
  sort -n | sed -E "s/^[0-9]+ //; s/'[0-9]+\$//; /^0x/d; /^\(/d" | awk '!seen[$0]++' > "$folder/functions"
[[ $(wc -l < "$folder/functions") -gt 500 ]] || { echo 'order-functions: too few functions were seen' >&2; exit 1; }
mv "$folder/functions" Linking/functions.txt
rm -f "$binary"   # the build does not see that the list has changed
echo "order-functions: $(wc -l < Linking/functions.txt) functions in Linking/functions.txt"
