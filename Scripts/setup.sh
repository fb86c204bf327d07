#!/bin/bash
# Sees to it that this machine can build and run likesd: checks the Swift toolchain, installs the Debian packages that are
# missing. It asks nothing, and when nothing is missing it needs neither root nor a network.
#
#   Scripts/setup.sh           what `make run` needs
#   Scripts/setup.sh --tests   what `make test` needs, too: Python with virtual environments, valgrind, Chromium, a font
#   Scripts/setup.sh --bench   what `make bench` needs, too: a C compiler, Python, and the servers to measure beside
#   Scripts/setup.sh --containers   what `make container-test` needs, too: podman, runc, and what makes an image of Debian
set -euo pipefail

packages=(libmicrohttpd-dev libsqlite3-dev libjansson-dev libxxhash-dev zlib1g-dev pkg-config curl)
libraries=(libmicrohttpd sqlite3 jansson libxxhash zlib)   # the same five, as pkg-config names them
oldest=6.3
oldest_python=3.11   # the oldest that all of Tests/requirements.txt supports; the bench is written for it, too

stop() { printf 'setup: %s\n' "$@" >&2; exit 1; }
reaches() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }

purpose=
case "$*" in
  '') ;;
  --tests) purpose=tests; packages+=(python3-venv valgrind chromium fonts-dejavu-core) ;;
  --bench) purpose=bench; packages+=(gcc libc6-dev python3 nginx libnginx-mod-nchan redis-server webdis wrk golang-go golang-github-mattn-go-sqlite3-dev) ;;
  --containers) purpose=containers; packages+=(podman runc mmdebstrap util-linux) ;;
  *) sed -n '5,8p' "$0" | sed 's/^# *//' >&2; exit 64 ;;
esac

# --- The toolchain ----------------------------------------------------------------------------------------------------
command -v swift >/dev/null ||
  stop "Swift is missing: likesd needs Swift $oldest or newer, see https://www.swift.org/install"
said=$(swift --version 2>&1 </dev/null) || stop "swift --version fails:" "$said"
[[ $said =~ Swift\ version\ ([0-9]+\.[0-9]+) ]] || stop "this is no Swift that I know:" "$said"
version=${BASH_REMATCH[1]}
reaches "$version" "$oldest" ||
  stop "Swift $version is too old: likesd needs Swift $oldest or newer, see https://www.swift.org/install"

# --- The packages -----------------------------------------------------------------------------------------------------
# Where there is no apt, others have to be trusted; what matters is there, or not.
has_what_matters() {
  command -v curl && pkg-config --exists "${libraries[@]}" || return 1
  for library in libmicrohttpd:libmicrohttpd.a zlib:libz.a; do   # they are linked in
    [ -e "$(pkg-config --variable=libdir "${library%:*}")/${library#*:}" ] || return 1
  done
  case $purpose in
    tests)
      python3 -c 'import ensurepip, venv' && command -v valgrind && command -v vgdb &&
        { [ -x "${LIKESD_CHROMIUM:-}" ] || command -v chromium; } ;;
    containers)
      command -v podman && { command -v runc || command -v crun; } && command -v nsenter ;;
    bench)
      for program in cc python3 nginx redis-server webdis wrk go; do
        PATH=$PATH:/usr/sbin command -v "$program" || return 1
      done
      [ -d /usr/share/gocode/src/github.com/mattn/go-sqlite3 ] ;;
  esac
} >/dev/null 2>&1

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null ||
    stop "apt-get $1 failed; likesd needs the packages" "  ${missing[*]}"
}

install_packages() {
  missing=()
  for package in "${packages[@]}"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || stop 'neither root nor sudo; as root, run:' "  apt-get install ${missing[*]}"
    as_root=(sudo)
    [ -t 0 ] || as_root=(sudo -n)   # nobody is there to type a password
  fi
  echo "setup: installing ${missing[*]}"
  apt update
  apt install -y --no-install-recommends "${missing[@]}"
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  install_packages
else
  has_what_matters ||
    stop 'this machine has no apt; install by other means what these Debian packages hold:' "  ${packages[*]}"
fi

# --- Python -----------------------------------------------------------------------------------------------------------
[ "$purpose" = tests ] || [ "$purpose" = bench ] || exit 0
python=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])') || stop 'python3 does not run'
reaches "$python" "$oldest_python" ||
  stop "Python $python is too old: 'make ${purpose%s}' needs a python3 of $oldest_python or newer (to build and run, none is needed)"
