#!/bin/bash
# Builds, tests and shows Longroll with one command each. On Debian 12 nothing but git need be there before:
# what is missing is installed with apt-get (by root, or through sudo).
set -eu
cd "$(dirname "$0")"

say() { printf '==> %s\n' "$*"; }
stop() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }

usage() {
    cat <<'END'
usage: ./build.sh [COMMAND]

  (nothing)  build the release: build/release/longroll and liblongroll.so
  demo       install what is missing, build, play, draw and verify 1,000 games of Cedar Mountain, and serve some
  test       install what is missing, build release and debug (sanitizers), run all tests in both,
             plant ten faults in the rules and see that the tests catch them
  clean      remove build/
  help       print this

LONGROLL_NATIVE=OFF ./build.sh  builds for any x86-64 or AArch64 processor instead of this one.
END
}

packages=(gcc libc6-dev cmake ninja-build pkg-config libcyaml-dev libyaml-dev libjansson-dev libxxhash-dev
    librandom123-dev libcmocka-dev libzmq3-dev libmsgpack-dev libsqlite3-dev)

installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; return; fi
    command -v sudo >/dev/null || stop "packages are missing (${missing[*]}) and there is neither root nor sudo to install them."
    sudo "$@"
}

# install_missing [PACKAGE...]: the packages above and these.
install_missing() {
    command -v dpkg-query >/dev/null || { say "this is not Debian: taking it that the libraries are here"; return 0; }
    missing=()
    local package
    for package in "${packages[@]}" "$@"; do installed "$package" || missing+=("$package"); done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "installing ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update ||
        stop "apt-get cannot fetch the lists of packages: is the network up?"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${missing[@]}" >/dev/null ||
        stop "apt-get could not install ${missing[*]}."
}

# build PRESET [TARGET...]: all of it without targets.
build() {
    local preset=$1 log targets=()
    shift
    [ $# = 0 ] || targets=(--target "$@")
    say "building $preset (build/$preset)"
    mkdir -p "build"
    log=build/$preset.log
    cmake --preset "$preset" "-DLONGROLL_NATIVE=${LONGROLL_NATIVE:-ON}" >"$log" 2>&1 ||
        { tail -n 20 "$log" >&2; stop "cmake could not configure $preset; './build.sh test' or 'demo' installs what is missing."; }
    cmake --build --preset "$preset" ${targets[@]+"${targets[@]}"} >"$log" 2>&1 ||
        { grep -E -A 6 ' error: |^FAILED|undefined reference' "$log" | head -n 60 >&2; stop "the $preset build failed; all of it is in $log."; }
}

run_ctest() {
    say "testing $1"
    ctest --preset "$1" -j "$(nproc)" >"build/$1.ctest" 2>&1 ||
        { cat "build/$1.ctest" >&2; stop "tests failed in build/$1; all of it is in build/$1.ctest."; }
    tail -n 4 "build/$1.ctest" | sed '/^$/d'
}

# make_venv [PACKAGE...]: what Python programs here need, and these, from PyPI, in a virtual environment of the build's own.
make_venv() {
    local needed=(pyyaml numpy pyzmq msgpack "$@")
    build/venv/bin/pip show -q "${needed[@]}" 2>/dev/null && return 0
    say "making build/venv with ${needed[*]}"
    python3 -m venv build/venv || stop "python3 could not make a virtual environment in build/venv."
    build/venv/bin/pip install -q --disable-pip-version-check "${needed[@]}" || stop "pip could not install ${needed[*]}."
}

run_pytest() {
    make_venv pytest scipy choix
    say "testing Python: the client against the server, the twin against the engine"
    PYTHONPATH=python build/venv/bin/pytest -q -p no:cacheprovider tests/python tests/twin || stop "Python tests failed."
}

# Ten faults, always the same (--list shows them), of which the tests must catch every one: fewer than 95 in 100 fail.
plant_faults() {
    say "planting ten faults in the rules, one at a time"
    build/venv/bin/python tests/mutation/plant.py --faults 10 --seed 1862 --effective --twin-games 4 >build/mutation.log 2>&1 ||
        { cat build/mutation.log >&2; stop "planted faults went unnoticed, or could not be planted."; }
    tail -n 1 build/mutation.log
}

# A learner's view: a server, a client in Python that plays on it, and how to connect one's own.
demo_served() {
    local ready=build/demo/endpoint server waited=0 played=0
    make_venv
    say "serving games, and playing 128 of them from Python, at random"
    "$1" serve --ready-file "$ready" &
    server=$!
    while [ ! -s "$ready" ] && [ $waited -lt 100 ] && kill -0 $server 2>/dev/null; do
        sleep 0.1
        waited=$((waited + 1))
    done
    [ -s "$ready" ] || stop "the server did not start."
    build/venv/bin/python python/examples/remote_random.py "$(head -n 1 "$ready")" || played=$?
    kill -TERM $server
    wait $server || stop "the server did not stop cleanly."
    [ $played = 0 ] || stop "the client in Python failed."
    cat <<END
    To connect your own program, in any language (proto/PROTOCOL.md):
    $1 serve --bind tcp://127.0.0.1:5555
    build/venv/bin/python python/examples/remote_random.py tcp://127.0.0.1:5555
END
}

demo() {
    local scenario=cedar-mountain/historical program=build/release/longroll folder=build/demo last
    install_missing python3 python3-venv
    build release longroll longroll_shared
    rm -rf "$folder"
    say "playing 1,000 games of $scenario, greedy against greedy"
    "$program" selfplay "$scenario" --games 1000 --union greedy --confederate greedy --seed 1 --out "$folder" ||
        stop "self-play failed."
    last=$(find "$folder" -type f -name 'game-*.txt' | sort | tail -n 1)
    [ -n "$last" ] || stop "self-play left no replay in $folder."
    say "the last map of the last game ($last)"
    "$program" replay "$last" --final || stop "the last game cannot be drawn."
    say "playing that game again from its replay, comparing every die and every hash"
    "$program" replay "$last" --verify || stop "the replay does not verify."
    demo_served "$program"
    say "done. Try next:"
    cat <<END
    $program list                       the scenarios
    $program play $scenario --show
                                              another game, the map after every phase
    $program replay $last --show
                                              that game, phase by phase
    $program --help                     everything else
END
}

case "${1:-build}" in
build)
    build release longroll longroll_shared
    say "done: build/release/longroll"
    ;;
demo) demo ;;
test)
    install_missing python3 python3-venv
    build release
    build debug
    run_ctest release
    run_ctest debug
    run_pytest
    plant_faults
    say "all tests passed"
    ;;
clean)
    rm -rf build
    say "removed build/"
    ;;
help | -h | --help) usage ;;
*)
    usage >&2
    stop "there is no command '$1'."
    ;;
esac
