#!/bin/bash
# Plays one tournament again and again while system calls fail at random, until a run ends well: calls.sh PROGRAM.
# Each run must end well, or with one line on stderr and exit code 1 or 2, and leave a ledger that SQLite finds in order; in the
# end there must be the games of a tournament that nothing happened to. Needs fiu-run (fiu-utils) and sqlite3; not for builds
# with sanitizers, which want their own library loaded first.
set -u

program=$(realpath "${1:?usage: calls.sh PROGRAM}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

play() { "$@" "$program" tournament --bots random,greedy --scenario cedar-mountain/duel --rounds 2000 --quiet --resume \
    --out "$ledger" >out 2>err; }
games() { sqlite3 "$1" "SELECT id, seed, ending, winner, score, legal, hash, reason, hex(actions) FROM game ORDER BY id" | md5sum; }
wrong() { echo "FAILED  $*: $(head -c 300 err)"; failed=1; }

ledger=whole.db
play || { wrong "without failing calls"; exit 1; }
whole=$(games whole.db)

# fail CALL PROBABILITY
fail() {
    local run code
    ledger=torn.db
    rm -f torn.db*
    for ((run = 1; run <= 100; run++)); do
        play fiu-run -x -c "enable_random name=$1,probability=$2"
        code=$?
        [ $code = 0 ] && break
        [ $code = 1 ] || [ $code = 2 ] || wrong "$1: exit code $code"
        [ "$(wc -l <err)" = 1 ] || wrong "$1: not one line"
        [ ! -e torn.db ] || [ "$(sqlite3 torn.db 'PRAGMA quick_check' 2>&1)" = ok ] || wrong "$1: a broken ledger"
    done
    [ "$(games torn.db)" = "$whole" ] || wrong "$1: other games"
    echo "$1: $run runs until one ended well"
}

for _ in 1 2 3; do
    fail posix/io/rw/pwrite 0.02
    fail posix/io/sync/fdatasync 0.3
    fail posix/io/rw/pread 0.01
    fail posix/io/oc/open 0.05
    fail posix/mm/mmap 0.05
    fail libc/mm/malloc 0.00004
    fail libc/mm/realloc 0.001
done
exit $failed
