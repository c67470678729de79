#!/bin/bash
# Plays the tournament of the calibrated ladder and makes agents/LADDER.md and agents/ladder.yaml from it. A run that was
# stopped goes on from its ledger. The scenarios, pairs and budgets below are arguments:
#
#     agents/ladder.sh                                        all of it
#     agents/ladder.sh --pairs 2 --mcts '10 20' --expectimax '' --scenarios cedar-mountain/duel --ledger /tmp/try.db --out /tmp
set -eu

stop() { printf 'ladder.sh: %s\n' "$*" >&2; exit 2; }

root=$(cd "$(dirname "$0")/.." && pwd)
program=$root/build/release/longroll
ledger=$root/build/ladder.db
out=$root/agents
pairs=40
mcts='100 1000 10000'           # simulations a decision
expectimax='1000 10000 100000'  # nodes a decision
scenarios='cedar-mountain/gate cedar-mountain/historical'
seed=1
more=()

while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || stop "$1 takes a value"
    case $1 in
    --program) program=$2 ;;
    --ledger) ledger=$2 ;;
    --out) out=$2 ;;
    --pairs) pairs=$2 ;;
    --mcts) mcts=$2 ;;
    --expectimax) expectimax=$2 ;;
    --scenarios) scenarios=$2 ;;
    --seed) seed=$2 ;;
    --workers) more+=(--workers "$2") ;;
    *) stop "there is no option '$1'; there are: --program --ledger --out --pairs --mcts --expectimax --scenarios --seed --workers" ;;
    esac
    shift 2
done
[ -x "$program" ] || stop "there is no program $program: ./build.sh makes it"

plan=(--name ladder --bot random --bot greedy)
for budget in $expectimax; do plan+=(--bot "expectimax-$budget=expectimax:nodes=$budget"); done
for budget in $mcts; do plan+=(--bot "mcts-$budget=mcts:simulations=$budget"); done
for scenario in $scenarios; do plan+=(--scenario "$scenario"); done

"$program" tournament "${plan[@]}" --rounds "$pairs" --seed "$seed" --out "$ledger" --resume ${more[@]+"${more[@]}"} >/dev/null
"$program" ladder "$ledger" --page "$out/LADDER.md" --data "$out/ladder.yaml"
echo "made $out/LADDER.md and $out/ladder.yaml from $ledger"
