#!/bin/bash
# Measures the regret of our agents on the solved positions anew: benchmarks/regret.sh [PROGRAM [NAME...]]. Writes NAME.txt
# and NAME.svg in benchmarks/regret/, by default for the duel and the battery. Takes some minutes. Regrets and shares come
# out the same on every machine; microseconds, simulations/s and nodes/s do not.
set -eu
home=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "${1:-$home/../build/release/longroll}")
shift $(($# > 0))
[ $# -gt 0 ] || set -- duel battery
cd "$home"
for name in "$@"; do
    echo "regret/$name.txt, regret/$name.svg" >&2
    LONGROLL_SCENARIOS=../scenarios "$program" bench search "cedar-mountain/$name" \
        --budgets 10,30,100,300,1000,3000,10000 --svg "regret/$name.svg" >"regret/$name.new"
    mv "regret/$name.new" "regret/$name.txt"
done
