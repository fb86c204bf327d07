#!/bin/bash
# Checks the rules of this project that neither the compiler nor swift-format knows.
#
#   Scripts/house-rules.sh [FOLDER]      prints file:line of each finding in Sources, Tests and the documents of FOLDER
#                                        (this project when absent); exit status 1 when there is one
#   Scripts/house-rules.sh --self-test   plants one violation of each kind, and some near misses, and sees what is found
#
# It relies on the layout that swift-format enforces: a declaration ends at the `}` below its own first column.
set -euo pipefail

rules='
function report(line, text) { if (pass == 2) printf "%s:%d: %s\n", FILENAME, line, text }

# A promise of safety that no line has proved so far.
function settle() {
  if (promise > 0 && promised_pass == 2) printf "%s:%d: %s\n", promised_file, promise, unproved
  promise = -9
}

# The name of the function or property that the line declares.
function named(code) {
  if (!match(code, /(func|var) ([=<>]+|[^ (<:]+)/)) return ""
  return substr(code, RSTART + 4 + (substr(code, RSTART, 1) == "f"), RLENGTH - 4 - (substr(code, RSTART, 1) == "f"))
}

# The line says `package` or `public` of something that people read about: not of an import, an extension or an
# initializer, which its type speaks for, nor of what a protocol, of ours or of the standard library, has described.
function is_declared(code) {
  if (code !~ ("^" attribute modifiers "(package|public)(\\(set\\))? ")) return 0
  if (code ~ ("(package|public) " modifiers "(import|extension|init)(" word "|$)")) return 0
  return !(named(code) in described)
}

BEGIN {
  split("== < hash description debugDescription", known)
  for (one in known) described[known[one]]
  unproved = "@unchecked Sendable without a comment `// Safety: ...` in the three lines after it"
  attribute = "(@[A-Za-z_]+(\\([^)]*\\))? +)*"
  modifier = "(static|class|final|override|mutating|nonmutating|borrowing|consuming|indirect|convenience|required|" \
    "nonisolated|unsafe|weak|unowned|lazy|dynamic|optional|prefix|postfix|infix|private\\(set\\)|internal\\(set\\)|" \
    "package\\(set\\)|fileprivate\\(set\\)|nonisolated\\(unsafe\\)|unowned\\(safe\\)|unowned\\(unsafe\\)) +"
  modifiers = "(" modifier ")*"
  access = "((private|fileprivate|internal|package|public)(\\(set\\))? +)?"
  body = "^" attribute modifiers access modifiers "((func|subscript)[ (<]|init[?(<]|deinit[ {]|var .*[{]$)"
  word = "[^A-Za-z0-9_]"
  # Five characters at least: shorter ones are abbreviations. After a `]` it is the target of a link.
  placeholder = "(^|[^]])[(<[][A-Z][A-Z ][A-Z ][A-Z ]+[A-Z][])>]"
}

FNR == 1 {
  settle()
  swift = FILENAME ~ /\.swift$/; document = FILENAME ~ /\.(md|yaml)$/; source = FILENAME ~ /^Sources\//; core = FILENAME ~ /^Sources\/LikesCore\//
  quoted = documented = 0; protocol = -1
  split("", opened)
}

$0 ~ ("(^|" word ")(TODO|FIXME|XXX)(" word "|$)") { report(FNR, "leftover: do it, or write it down elsewhere") }
document && $0 ~ placeholder { report(FNR, "leftover: a placeholder in capital letters") }

!swift { next }

FNR == (source ? 401 : 601) { report(FNR, "file too long: " (source ? 400 : 600) " lines are allowed") }

{
  code = $0
  indent = match(code, /[^ ]/) - 1
  sub(/^ +/, "", code)
}

promise > 0 {
  if (code ~ /\/\/ Safety:/) promise = -9
  else if (FNR - promise >= 3) settle()
}

code == "" { documented = 0; next }
code ~ /^\/\/\// { documented = 1; next }
code ~ /^\/\/ swift-format-ignore/ { next }
code ~ /^\/\// { documented = 0; next }

# Inside a string of several lines nothing is code.
{ quotes = gsub(/"""/, "\"\"\"", code) }
quoted { if (quotes % 2) quoted = 0; documented = 0; next }
quotes % 2 { quoted = 1 }

{
  spoken = code ~ /\/\/ Safety:/
  sub(/ *\/\/.*/, "", code)
}

code ~ ("@unchecked Sendable") {
  settle()
  if (!spoken) { promise = FNR; promised_file = FILENAME; promised_pass = pass }
}

# Requirements of a protocol: the first pass over all files collects them.
code ~ ("^" attribute modifiers access "protocol ") { protocol = indent }
protocol >= 0 && indent <= protocol && code ~ /}$/ { protocol = -1 }
protocol >= 0 && indent > protocol && source && documented && named(code) != "" { described[named(code)] }

source && is_declared(code) && !documented { report(FNR, "no doc comment (///): " code) }
code !~ ("^" attribute "@[A-Za-z_]+(\\([^)]*\\))?$") { documented = 0 }

code ~ ("^" attribute access "import ") {
  name = code
  sub(/^.*import +((class|struct|enum|protocol|typealias|func|let|var) +)?/, "", name)
  sub(/[^A-Za-z0-9_].*/, "", name)
  if (source && name ~ /^Foundation/) report(FNR, "no Foundation in Sources: it costs start-up time and memory")
  if (core && name != "Threading" && name != "Synchronization")
    report(FNR, "LikesCore imports only Threading and Synchronization, not " name)
}

code !~ /^#/ {
  if (code ~ /^}/ && indent in opened && FNR - opened[indent] + 1 > 70)
    report(opened[indent], "function too long: " (FNR - opened[indent] + 1) " lines, 70 are allowed")
  if (code ~ /^}/) delete opened[indent]
  for (column in opened) if (column + 0 > indent) delete opened[column]
  if (code ~ body) { if (code ~ /[{].*}$/) delete opened[indent]; else opened[indent] = FNR }
}

END { settle() }
'

# Prints what is wrong in the folder; fails when something is, or when there is nothing to check.
check() (
  cd "$1"
  mapfile -t files < <(find Sources Tests -type f \( -name '*.swift' -o -name '*.h' -o -name module.modulemap \) |
    LC_ALL=C sort)
  [ ${#files[@]} -gt 0 ] || { echo "house-rules: nothing to check in $1" >&2; return 1; }
  shopt -s nullglob
  files+=(*.md openapi.yam[l] Documentation/*.md)
  findings=$(LC_ALL=C awk "$rules" pass=1 "${files[@]}" pass=2 "${files[@]}") || return 2
  [ -z "$findings" ] || { printf '%s\n' "$findings"; return 1; }
)

failed=0
complain() { printf 'house-rules: self-test: %s\n' "$*" >&2; failed=1; }
repeat() { local count=$1; shift; while [ "$count" -gt 0 ]; do printf "$@"; count=$((count - 1)); done; }

# Each file breaks one rule; what is to be found in it is listed below.
plant() {
  mkdir -p "$1/Sources/LikesCore" "$1/Sources/Other" "$1/Tests/OtherTests" "$1/Documentation"
  cd "$1/Sources/Other"
  printf 'One.\nTODO: two.\n' >../../README.md
  printf 'info: XXX\n' >../../openapi.yaml
  printf 'It takes (FIGURES) seconds,\n[TO BE SAID]\nor <SECONDS>. FIXME\n' >../../Documentation/limits.md
  printf 'let one = 1\n// TODO: two\n' >Leftover.swift
  printf '// FIXME\n' >shim.h
  printf 'let one = 1  // XXX\n' >../../Tests/OtherTests/Leftover.swift
  repeat 401 '// A line.\n' >LongFile.swift
  repeat 601 '// A line.\n' >../../Tests/OtherTests/LongFile.swift
  printf '/// A type.\npackage struct One {\n    package let two: Int\n\n    // No doc.\n' >Undocumented.swift
  printf '    @inlinable\n    package static func three() {}\n    public private(set) var four = 4\n' >>Undocumented.swift
  printf '    @inlinable package func five() {}\n    /// Not its own.\n\n    package func six() {}\n}\n' >>Undocumented.swift
  printf 'package protocol One {\n    func two()\n}\nstruct Three: One {\n    package func two() {}\n' >Witness.swift
  printf '    /// Its own.\n    func four() {}\n    package func four(five: Int) {}\n}\n' >>Witness.swift
  printf 'final class One: @unchecked Sendable {\n    let two = 2\n    let three = 3\n    let four = 4\n' >Unproved.swift
  printf '    // Safety: too late.\n}\n' >>Unproved.swift
  printf 'final class One: @unchecked Sendable {}\n' | tee Unsafe.swift >../../Tests/OtherTests/Unsafe.swift
  printf '// Safety: of another file.\n' >Unsafer.swift
  { printf 'struct One {\n    private func two(\n        three: Int\n    ) -> Int {\n'; repeat 67 '        step()\n'
    printf '    }\n}\n'; } >LongFunction.swift
  { printf 'final class One {\n    init() {\n'; repeat 69 '        step()\n'; printf '    }\n'
    printf '    var two: Int {\n'; repeat 69 '        step()\n'; printf '    }\n}\n'; } >LongInitializer.swift
  printf 'internal import Foundation\nimport struct FoundationEssentials.Data\n' >Foundation.swift
  printf 'internal import Glibc\npackage import Threading\nimport struct JSONText.Text\n' >../LikesCore/Imports.swift
}
planted='README.md:2 openapi.yaml:1 Documentation/limits.md:1 Documentation/limits.md:2 Documentation/limits.md:3
Documentation/limits.md:3
Sources/LikesCore/Imports.swift:1 Sources/LikesCore/Imports.swift:3
Sources/Other/Foundation.swift:1 Sources/Other/Foundation.swift:2
Sources/Other/Leftover.swift:2 Sources/Other/shim.h:1 Tests/OtherTests/Leftover.swift:1
Sources/Other/LongFile.swift:401 Tests/OtherTests/LongFile.swift:601
Sources/Other/LongFunction.swift:2 Sources/Other/LongInitializer.swift:2 Sources/Other/LongInitializer.swift:73
Sources/Other/Undocumented.swift:3 Sources/Other/Undocumented.swift:7 Sources/Other/Undocumented.swift:8
Sources/Other/Undocumented.swift:9 Sources/Other/Undocumented.swift:12
Sources/Other/Unproved.swift:1 Sources/Other/Unsafe.swift:1 Tests/OtherTests/Unsafe.swift:1
Sources/Other/Witness.swift:1 Sources/Other/Witness.swift:5 Sources/Other/Witness.swift:8'

# Nothing here breaks a rule, though much of it comes near.
nearly() {
  mkdir -p "$1/Sources/LikesCore" "$1/Tests/OtherTests"
  cd "$1/Sources/LikesCore"
  printf 'CORS (CORS), (RFC 9110), [the licence](LICENSE), `PUT` (a method), ALL CAPITALS, TODOS\n' >../../README.md
  { printf 'internal import Synchronization\npackage import Threading\n\n'
    printf '/// Writes `@unchecked Sendable`, TODOS and mkstempXXXXXX.\n@safe\npackage final class One: @unchecked Sendable {\n'
    printf '    // Safety: it has no state.\n\n    package init() {}\n\n    /// A text.\n    package let text = """\n'
    printf '        package func notCode() {\n        import Foundation\n        """\n\n'
    printf '    let packaged = 1, publication = 2  // no @unchecked Sendable\n'
    printf '    func short() { step() }\n    private func seventy() {\n'
    repeat 68 '        step()\n'
    printf '    }\n    func last() {}\n    enum Inner {\n'
    repeat 70 '        case one\n'
    printf '    }\n    package static func < (left: Self, right: Self) -> Bool { true }\n'
    printf '    package var description: String { text }\n}\n\n'
    printf 'protocol Two {\n    /// Of all that conform.\n    func bare()\n}\n\n'
    printf 'extension One: Two {\n    enum Outer {\n'
    repeat 70 '        case one\n'
    printf '    }\n    package func bare() {}\n'
    repeat 10 '    func small() {\n        step()\n    }\n'
    printf '}\n'; } >Nearly.swift
  { repeat 400 '// A line.\n'; } >LongFile.swift
  { printf 'import Foundation\npackage func helper() {}\n'; repeat 598 '// A line.\n'; } >../../Tests/OtherTests/LongFile.swift
}

self_test() {
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  (plant "$folder/planted")
  (nearly "$folder/nearly")
  mkdir -p "$folder/empty/Sources" "$folder/empty/Tests"

  if found=$(check "$folder/planted"); then complain 'violations left the exit status at 0'; fi
  found=$(sed -E 's/^([^:]+:[0-9]+): .*/\1/' <<<"$found" | LC_ALL=C sort)
  wanted=$(tr ' ' '\n' <<<"$planted" | LC_ALL=C sort)
  difference=$(diff <(echo "$wanted") <(echo "$found") | sed -n 's/^</not found:/p; s/^>/not planted:/p') || true
  [ -z "$difference" ] || complain "$difference"
  clean=$(check "$folder/nearly") || complain "near misses are reported: $clean"
  if check "$folder/empty" 2>/dev/null; then complain 'an empty folder passes'; fi
  return $failed
}

case ${1:-} in
  --self-test) self_test ;;
  -*) sed -n '4,6p' "$0" | sed 's/^# *//' >&2; exit 64 ;;
  *) check "${1:-$(dirname "${BASH_SOURCE[0]}")/..}" ;;
esac
