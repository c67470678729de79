#!/bin/bash
# The long form of determinism: the same games from gcc and clang, without and with optimisation; where optimised on
# 1, 2, 3 and 8 threads, else (ten times slower) on 2.
#   tests/determinism.sh [GAMES]      (default 2000, over all scenarios and three pairs of agents; beside them a few
#                                      games between the searchers)
# Builds the program four times under build/determinism-*, plays, and compares the self-play hashes. Exit code 1 and the
# differing lines if any differ.
set -eu
cd "$(dirname "$0")/.."
games=${1:-2000}
scenarios="historical free historical-pope free-pope gate cedars duel battery"
pairs="random:random greedy:greedy greedy:random"
each=$(((games + 23) / 24))
searchers="mcts:simulations=30,length=20 expectimax:nodes=2000"

build() { # compiler, level
    local folder=build/determinism-$1$2
    cmake -S . -B "$folder" -G Ninja -DCMAKE_C_COMPILER="$1" -DCMAKE_BUILD_TYPE=Plain \
        -DCMAKE_C_FLAGS="$2 -DNDEBUG" -DLONGROLL_TESTS=OFF >"$folder.log" 2>&1 || { cat "$folder.log" >&2; exit 1; }
    ninja -C "$folder" longroll >>"$folder.log" 2>&1 || { tail -n 30 "$folder.log" >&2; exit 1; }
}

play() { # program, threads, scenario, games, agents
    printf '%s %s %s ' "$3" "$5" "$6"
    "$1" selfplay "cedar-mountain/$3" --games "$4" --quiet --seed 1862 --union "$5" --confederate "$6" \
        --threads "$2" | sed -n 's/^hash: *//p'
}

# All hashes of one program on so many threads, a line each.
hashes() { # program, threads
    local scenario pair
    for scenario in $scenarios; do
        for pair in $pairs; do play "$1" "$2" "$scenario" "$each" "${pair%:*}" "${pair#*:}"; done
        play "$1" "$2" "$scenario" $((each / 40 + 1)) $searchers
    done
}

mkdir -p build
reference="" differing=0
for compiler in gcc clang-14; do
    for level in -O0 -O3; do
        build "$compiler" "$level"
        if [ "$level" = -O0 ]; then counts=2; else counts="1 2 3 8"; fi
        for threads in $counts; do
            began=$SECONDS
            got=$(hashes "build/determinism-$compiler$level/longroll" "$threads")
            [ -n "$reference" ] || reference=$got
            if [ "$got" = "$reference" ]; then verdict=same; else verdict=DIFFERS differing=1; fi
            print=$(sha256sum <<<"$got" | cut -c1-16)
            echo "$compiler $level, $threads threads: $verdict, $((each * 24)) games, $print, $((SECONDS - began)) s"
            [ "$got" = "$reference" ] || diff <(echo "$reference") <(echo "$got") || true
        done
    done
done
exit "$differing"
