#!/bin/bash
# Builds both images of the Dockerfile and runs them as one does who trusts them little: with a read-only root, without capabilities, with
# little memory, and with no network but a loopback of their own.
#
#   Scripts/container-test.sh                 fails where no container can be run
#   Scripts/container-test.sh --if-possible   says why, and succeeds, where none can be run
#
# The images that the Dockerfile begins with are pulled, where this machine can pull them. Elsewhere they are made: Debian's from the packages
# that this machine's apt knows, and Swift's from that, with the toolchain of this machine, which is lent to the build.
#
# Everything lies in .build/container, which is nobody else's. What is kept there are those two images and the layers of the last
# build; containers, volumes and the images that were tried are removed at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "$*" in
  '') if_possible= ;;
  --if-possible) if_possible=yes ;;
  *) sed -n '5,6p' "$0" | sed 's/^# *//' >&2; exit 64 ;;
esac

cache=$PWD/.build/container
url=http://127.0.0.1:8080
readonly slim_limit=92 minimal_limit=22   # MB
readonly answer_limit=10000               # milliseconds to the first answer; a machine may be busy
readonly starts=5                         # of which the median counts
readonly memory=64m                       # what 100,000 likes have to do with
readonly fixture_likes=98653              # in Tests/Fixtures/msweb

note() { printf 'container-test: %s\n' "$*"; }
fail() { printf 'container-test: FAILED: %s\n' "$*" >&2; exit 1; }

# Why no container can be run here.
cannot() {
  if [ -n "$if_possible" ]; then note "left out: $*"; exit 0; fi
  fail "$*"
}

now() { date +%s%3N; }
median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }

# --- The tools --------------------------------------------------------------------------------------------------------
prepare_tools() {
  [ "$(id -u)" = 0 ] || cannot 'only root can limit the memory of containers everywhere; try: sudo make container-test'
  mkdir -p "$cache"
  Scripts/setup.sh --containers >"$cache/setup.log" 2>&1 ||
    cannot "podman cannot be installed: $(tail -n 1 "$cache/setup.log")"
  # crun, which podman prefers, refuses machines with both versions of control groups.
  runtime=$(command -v runc || command -v crun) || cannot 'there is neither runc nor crun'
  exec 9>"$cache/lock"
  flock -n 9 || fail "another run uses $cache"
  run=/run/likesd-container-test-$(cksum <<<"$cache" | cut -d ' ' -f 1)
  mkdir -p "$run"
  # vfs copies where overlay shares: slow, but it goes where the folder itself lies on an overlay.
  for driver in overlay vfs; do
    engine=("$(type -P podman)" --root "$cache/storage" --runroot "$run" --tmpdir "$run/tmp" --storage-driver "$driver"
      --runtime "$runtime" --cgroup-manager cgroupfs --events-backend file --log-level fatal)
    podman info >"$cache/info.log" 2>&1 && break
  done || cannot "podman does not run: $(tail -n 1 "$cache/info.log"), see $cache/info.log"
  clean_up || true   # what a run that was killed has left
  # podman asks for limits above those of this process, which not every root may raise.
  files=$(ulimit -Hn)
  [ "$files" != unlimited ] && [ "$files" -le 1048576 ] || files=1048576
  hardening=(--pull=never --network none --read-only --cap-drop=ALL --security-opt=no-new-privileges --pids-limit 256
    --ulimit "nofile=$files:$files" --ulimit nproc=4096:4096)
}

# The lock's descriptor is closed for what may outlive this script.
podman() { "${engine[@]}" "$@" 9>&-; }

clean_up() {
  podman rm --all --force --volumes --time 0
  podman volume rm --all --force
  podman rmi --force --no-prune likesd-test:slim likesd-test:minimal
  rm -rf "$cache/msweb"
} >/dev/null 2>&1

# The store is mounted on itself; while it is, nobody can remove it.
leave() {
  [ -n "${driver:-}" ] || return 0
  clean_up || true
  podman image prune --force >/dev/null 2>&1 || true   # layers of older builds
  umount "$cache/storage/$driver" 2>/dev/null || true
  rm -rf "$run"
}

# --- The images to begin with -----------------------------------------------------------------------------------------
base() { sed -n "s/^FROM \($1:[^ ]*\).*/\1/p" Dockerfile | head -n 1; }

have() { podman image exists "$1" || timeout 300 "${engine[@]}" pull --quiet "$1" >"$cache/pull.log" 2>&1 9>&-; }

make_debian() {
  local name=$1 codename
  codename=$(sed 's/.*:\([a-z]*\).*/\1/' <<<"$name")
  command -v mmdebstrap >/dev/null || cannot "$name cannot be pulled ($(tail -n 1 "$cache/pull.log")), and there is no mmdebstrap"
  note "making $name from this machine's packages"
  { apt-get update -q
    # How this machine reaches its packages, for the apt of the image, too.
    apt-config dump | grep -E '^Acquire::(http|https|Check-|Retries)' >"$cache/apt.conf" || true
    # As in the image that one pulls: nothing that was installed is kept a second time.
    echo 'Acquire::Languages "none"; Acquire::GzipIndexes "true"; Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";' >>"$cache/apt.conf"
    echo 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };' >"$cache/clean.conf"
    apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
      mmdebstrap --variant=minbase --format=tar --hook-dir=/usr/share/mmdebstrap/hooks/maybe-merged-usr \
        --aptopt="$cache/apt.conf" --customize-hook="upload $cache/clean.conf /etc/apt/apt.conf.d/docker-clean" \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
        "$codename" "$cache/debian.tar" -
    podman import --quiet --change 'CMD ["bash"]' "$cache/debian.tar" "localhost/$name"
    rm "$cache/debian.tar"
  } >"$cache/debian.log" 2>&1 9>&- || cannot "$name cannot be made: $(tail -n 1 "$cache/debian.log"), see $cache/debian.log"
}

# What the toolchain needs in order to run and to link; it is seen in /usr/local/swift while the image is built.
make_swift() {
  note "making $1: what this machine's toolchain needs"
  build --tag "localhost/$1" - >"$cache/swift.log" 2>&1 <<DOCKERFILE ||
FROM $2
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      binutils-gold ca-certificates git libc6-dev libcurl4 libedit2 libgcc-12-dev libncurses6 libsqlite3-0 \
      libstdc++-12-dev libuuid1 libxml2 pkg-config tzdata zlib1g-dev \
 && rm -rf /var/lib/apt/lists/*
LABEL toolchain=lent
ENV PATH=/usr/local/swift/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
DOCKERFILE
    cannot "$1 cannot be made: $(tail -n 1 "$cache/swift.log"), see $cache/swift.log"
}

prepare_bases() {
  local debian swift swiftc
  debian=$(base debian)
  swift=$(base swift)
  have "$debian" || make_debian "$debian"
  podman run --rm "${hardening[@]}" "$debian" true >"$cache/probe.log" 2>&1 ||
    cannot "this system runs no container: $(tail -n 1 "$cache/probe.log")"
  have "$swift" || make_swift "$swift" "$debian"
  lent=()
  if [ "$(podman image inspect "$swift" --format '{{index .Labels "toolchain"}}')" = lent ]; then
    swiftc=$(readlink -f "$(command -v swiftc)") || cannot "$swift cannot be pulled, and there is no swiftc to lend to the build"
    lent=(--volume "${swiftc%/usr/bin/*}:/usr/local/swift:ro")
  fi
}

# --- The images of likesd ---------------------------------------------------------------------------------------------
build() { podman build --pull=never --format docker --network host --isolation chroot "$@"; }

# The layers with the toolchain are kept under a name, so that the next run finds them: it builds what has changed.
build_images() {
  local target began
  began=$(now)
  for target in build:build slim:debian minimal:minimal; do
    build "${lent[@]}" --target "${target#*:}" --tag "likesd-test:${target%:*}" . >"$cache/build.log" 2>&1 ||
      { tail -n 40 "$cache/build.log" >&2; fail "the Dockerfile does not build, see $cache/build.log"; }
  done
  note "built both images in $((($(now) - began) / 1000)) s"
}

ask_image() { podman image inspect "likesd-test:$1" --format "$2"; }

# The image KIND has at most LIMIT MB, and a user by a number other than 0.
check_image() {
  local kind=$1 limit=$2 size user
  size=$(ask_image "$kind" '{{.Size}}')
  note "$kind: $((size / 1000000)) MB"
  [ "$size" -le $((limit * 1000000)) ] || fail "the image $kind has more than $limit MB"
  user=$(ask_image "$kind" '{{.Config.User}}')
  [[ $user =~ ^[1-9][0-9]*(:[1-9][0-9]*)?$ ]] || fail "the image $kind runs as '$user', and not as a user with a number of its own"
}

# --- Containers -------------------------------------------------------------------------------------------------------
state() { podman inspect likesd --format "{{.State.$1}}"; }
inside() { nsenter --target "$pid" --net -- "$@" 9>&-; }
logs() { podman logs --tail 20 likesd >&2 || true; }
fail_with_logs() { logs; fail "$@"; }

# Starts a container, called likesd, of an image and further options; sets `pid`, and `took` to the milliseconds until its first answer.
start() {
  local kind=$1 began; shift
  began=$(now)
  # Not asked for afterwards: to ask podman takes longer than likesd takes to start.
  podman run --detach --pidfile "$cache/pid" --name likesd --volume likes:/data "${hardening[@]}" "$@" "likesd-test:$kind" >"$cache/run.log" 2>&1 ||
    fail "a container of $kind does not start: $(tail -n 1 "$cache/run.log")"
  pid=$(cat "$cache/pid")
  until inside curl -fs -o /dev/null -m 2 $url/readyz; do
    [ "$(state Status)" = running ] || fail_with_logs "likesd in $kind ended with status $(state ExitCode) before it answered"
    [ $(($(now) - began)) -lt $answer_limit ] || fail_with_logs "likesd in $kind did not answer within $answer_limit ms"
    sleep 0.005
  done
  took=$(($(now) - began))
}

# SIGTERM ends it in an orderly way.
stop() {
  local code
  podman stop --time 15 likesd >/dev/null
  code=$(state ExitCode)
  [ "$code" = 0 ] || fail_with_logs "SIGTERM ended likesd with status $code instead of 0 (137: it was killed after 15 s)"
  podman rm likesd >/dev/null
}

forget() { podman volume rm --force likes >/dev/null; }

# How long the first answer takes, beside a container that does nothing.
measure_start() {
  local kind=$1 began answers=() others=() answer other
  for _ in $(seq $starts); do
    began=$(now)
    podman run --detach --name other "${hardening[@]}" --entrypoint likesd "likesd-test:$kind" version >/dev/null
    others+=($(($(now) - began)))
    podman rm --force other >/dev/null
    start "$kind" --memory $memory --memory-swap $memory
    answers+=("$took")
    stop
    forget
  done
  answer=$(median "${answers[@]}") other=$(median "${others[@]}")
  note "$kind: first answer $answer ms after the start, $((answer * 100 / other)) % of the $other ms of a container that only says its version"
}

# It is held in as it was asked to be, and healthy.
check_hardening() {
  local status
  status=$(cat "/proc/$pid/status")
  grep -qE '^Uid:(\s+[1-9][0-9]*){4}$' <<<"$status" || fail "likesd runs as root"
  grep -qE '^CapEff:\s+0+$' <<<"$status" || fail "likesd has capabilities"
  grep -qE '^NoNewPrivs:\s+1$' <<<"$status" || fail "likesd may get privileges"
  awk '$5 == "/" && $6 ~ /^ro(,|$)/ { found = 1 } END { exit !found }' "/proc/$pid/mountinfo" || fail "the root can be written"
  podman healthcheck run likesd >"$cache/health.log" 2>&1 || fail_with_logs "HEALTHCHECK fails: $(tail -n 1 "$cache/health.log")"
}

# A like is there after a stop, in another container with the same volume.
check_life() {
  local kind=$1 answer
  start "$kind" --memory $memory --memory-swap $memory
  check_hardening
  inside curl -fsS -o /dev/null -X PUT -H 'Content-Type: application/json' -d '{"title": "kept"}' $url/v1/news/1
  inside curl -fsS -o /dev/null -X PUT $url/v1/news/1/likes/ada
  stop
  start "$kind" --memory $memory --memory-swap $memory
  answer=$(inside curl -fsS "$url/v1/news/1?viewer=ada")
  [[ $answer == *'"likesCount":1,"viewerLikes":true'* ]] || fail_with_logs "a like is lost with its container: $answer"
  stop
  forget
  note "$kind: held in, healthy, ended by SIGTERM with status 0; a like outlives its container"
}

# --- Little memory ----------------------------------------------------------------------------------------------------
expect_likes() {
  local answer
  answer=$(inside curl -fsS -X POST "$url/v1/admin/verify")
  [[ $answer == *'"drift":0'* && $answer == *"\"likes\":$fixture_likes"* ]] ||
    fail_with_logs "there should be $fixture_likes likes, without drift: $answer"
  answer=$(inside curl -fsS "$url/v1/feed?sort=top&limit=1000" | grep -o '"likesCount"' | wc -l)
  [ "$answer" = 285 ] || fail_with_logs "the feed has $answer news instead of 285"
}

# The most that the process ever had, and what the kernel ever charged to its container: all but pages of files that were there before.
peaks() {
  local group file
  awk '/^VmHWM:/ { printf "%d MB resident", $2 / 1024 }' "/proc/$pid/status"
  group=$(sed -n 's/^[0-9]*:memory://p; s/^0:://p' "/proc/$pid/cgroup" | head -n 1)
  for file in "/sys/fs/cgroup/memory$group/memory.max_usage_in_bytes" "/sys/fs/cgroup$group/memory.peak"; do
    [ ! -r "$file" ] || awk '{ printf ", %d MB charged", $1 / 1048576 }' "$file"
  done
}

# Real likes are imported by a second process in the same container, read, and there again after a restart.
check_memory() {
  local said
  mkdir -p "$cache/msweb"
  install -m 0644 Tests/Fixtures/msweb/*.csv "$cache/msweb"
  start slim --memory $memory --memory-swap $memory --volume "$cache/msweb:/msweb:ro"
  said=$(podman exec likesd likesd import /msweb/news.csv /msweb/likes.csv --url $url 2>&1) || fail_with_logs "the import in $memory fails: $said"
  expect_likes
  note "$fixture_likes likes in $memory: at most $(peaks)"
  stop
  start slim --memory $memory --memory-swap $memory
  expect_likes
  note "$fixture_likes likes in $memory, started again: at most $(peaks)"
  stop
  forget
}

trap leave EXIT
trap 'exit 130' INT TERM
prepare_tools
prepare_bases
build_images
check_image slim $slim_limit
check_image minimal $minimal_limit
for kind in slim minimal; do
  measure_start $kind
  check_life $kind
done
check_memory
note 'passed'
