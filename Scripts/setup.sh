#!/bin/bash
# Sees to it that this machine can build and test likesd: checks the Swift toolchain, installs the Debian packages that
# are missing. It asks nothing, and when nothing is missing it needs neither root nor a network.
set -euo pipefail

packages=(libmicrohttpd-dev libsqlite3-dev libjansson-dev libxxhash-dev pkg-config curl python3-venv)
libraries=(libmicrohttpd sqlite3 jansson libxxhash)   # the same four, as pkg-config names them
oldest=6.2

stop() { printf 'setup: %s\n' "$@" >&2; exit 1; }

# --- The toolchain ----------------------------------------------------------------------------------------------------
command -v swift >/dev/null ||
  stop "Swift is missing: likesd needs Swift $oldest or newer, see https://www.swift.org/install"
said=$(swift --version 2>&1 </dev/null) || stop "swift --version fails:" "$said"
[[ $said =~ Swift\ version\ ([0-9]+\.[0-9]+) ]] || stop "this is no Swift that I know:" "$said"
version=${BASH_REMATCH[1]}
[ "$(printf '%s\n' "$oldest" "$version" | sort -V | head -n 1)" = "$oldest" ] ||
  stop "Swift $version is too old: likesd needs Swift $oldest or newer, see https://www.swift.org/install"

# --- The packages -----------------------------------------------------------------------------------------------------
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  if command -v curl >/dev/null && pkg-config --exists "${libraries[@]}" && python3 -c 'import ensurepip, venv'; then
    exit 0
  fi 2>/dev/null
  stop 'this machine has no apt; install by other means what these Debian packages hold:' "  ${packages[*]}"
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || stop 'neither root nor sudo; as root, run:' "  apt-get install ${missing[*]}"
  as_root=(sudo)
  [ -t 0 ] || as_root=(sudo -n)   # nobody is there to type a password
fi
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null ||
    stop "apt-get $1 failed; likesd needs the packages" "  ${missing[*]}"
}
echo "setup: installing ${missing[*]}"
apt update
apt install -y --no-install-recommends "${missing[@]}"
