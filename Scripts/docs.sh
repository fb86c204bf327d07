#!/bin/bash
# Makes the documentation of the package's targets, out of their comments and Documentation/likesd.docc, with the DocC that
# comes with Swift. A warning is an error. It reads what `make build` has left, and needs no network.
#
#   Scripts/docs.sh [FOLDER]     writes a website into FOLDER (.build/docs when absent), for any web server
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
output=${1:-.build/docs}

built=$(swift build -c release --show-bin-path)
triple=$(swift -print-target-info | sed -n 's/.*"triple": *"\(.*\)".*/\1/p' | head -n 1)

graphs=.build/symbol-graphs
rm -rf "$graphs" "$output"
mkdir -p "$graphs"
for module in $(find Sources -name '*.swift' | cut -d / -f 2 | sort -u); do
  # What targets show each other; the program shows nothing, and is documented for those who change it.
  grep -qF -- "- \`\`$module\`\`" Documentation/likesd.docc/Guide.md ||
    { echo "docs: Documentation/likesd.docc/Guide.md does not lead to $module" >&2; exit 1; }
  level=package
  [ "$module" != likesd ] || level=internal
  swift symbolgraph-extract -module-name "$module" -minimum-access-level "$level" -target "$triple" -I "$built/Modules" \
    $(printf -- '-I %s ' Sources/C*/) -skip-synthesized-members -skip-inherited-docs -output-dir "$graphs" \
    -module-cache-path "$graphs/modules"
done
# What is added to the types of other modules belongs to those.
rm -f "$graphs"/*@*.symbols.json

docc convert Documentation/likesd.docc --additional-symbol-graph-dir "$graphs" --output-path "$output" --warnings-as-errors \
  --fallback-display-name Guide --fallback-bundle-identifier likesd
echo "docs: $output"
