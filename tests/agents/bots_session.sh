#!/bin/bash
# The session in agents/BOTS.md is what the runner and the reference bot say: tests/agents/bots_session.sh PROGRAM.
# With a second argument it prints the session instead, to be put there.
set -eu
program=$(realpath "$1")
bot=$(dirname "$program")/bots/greedy_bot
source=$(cd "$(dirname "$0")/../.." && pwd)
export LONGROLL_SCENARIOS=$source/scenarios
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What the runner says is kept, and said once more to the bot, line by line.
"$program" play cedar-mountain/duel --seed 2 --confederate random --move-time 5 \
    --union "exec:sh -c 'tee $work/said | \"\$1\"' sh '$bot'" >"$work/result"
grep -q '^result: .* (Union victory\|^result: .* (Confederate victory' "$work/result" || { cat "$work/result"; exit 1; }
"$bot" <"$work/said" >"$work/replied"
paste -d '\n' <(sed 's/^/> /; s/\t/<tab>/g' "$work/said") <(sed 's/^/< /' "$work/replied") >"$work/session"

if [ $# -gt 1 ]; then
    cat "$work/session"
else
    sed -n '/^```session$/,/^```$/p' "$source/agents/BOTS.md" | sed '1d;$d' | diff - "$work/session"
fi
