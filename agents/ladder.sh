#!/bin/bash
# Plays the tournament of the calibrated ladder and makes agents/LADDER.md and agents/ladder.yaml from it. A run that
# was stopped goes on from its ledger. What is played is in the arguments; an agent's budgets stand side by side,
# smallest first:
#
#     agents/ladder.sh            what is published: a quarter of an hour on two cores
#     agents/ladder.sh --scenarios 'cedar-mountain/gate cedar-mountain/historical'     a day
#     agents/ladder.sh --pairs 2 --bots 'random greedy mcts:simulations=10 mcts:simulations=20' \
#         --scenarios cedar-mountain/duel --ledger /tmp/try.db --out /tmp
set -eu

stop() { printf 'ladder.sh: %s\n' "$*" >&2; exit 2; }

root=$(cd "$(dirname "$0")/.." && pwd)
program=$root/build/release/longroll
ledger=$root/build/ladder.db
out=$root/agents
pairs=15
bots='random greedy
    expectimax:nodes=1000 expectimax:nodes=8000 expectimax:nodes=48000
    mcts:simulations=20 mcts:simulations=100 mcts:simulations=500'
scenarios='cedar-mountain/gate'
seed=1
more=()

while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || stop "$1 takes a value"
    case $1 in
    --program) program=$2 ;;
    --ledger) ledger=$2 ;;
    --out) out=$2 ;;
    --pairs) pairs=$2 ;;
    --bots) bots=$2 ;;
    --scenarios) scenarios=$2 ;;
    --seed) seed=$2 ;;
    --workers) more+=(--workers "$2") ;;
    *) stop "no option '$1'; there are: --program --ledger --out --pairs --bots --scenarios --seed --workers" ;;
    esac
    shift 2
done
[ -x "$program" ] || stop "there is no program $program: ./build.sh makes it"

plan=(--name ladder)
for bot in $bots; do plan+=(--bot "$bot"); done
for scenario in $scenarios; do plan+=(--scenario "$scenario"); done

"$program" tournament "${plan[@]}" ${more[@]+"${more[@]}"} \
    --rounds "$pairs" --seed "$seed" --out "$ledger" --resume >/dev/null
"$program" ladder "$ledger" --page "$out/LADDER.md" --data "$out/ladder.yaml"
echo "made $out/LADDER.md and $out/ladder.yaml from $ledger"
