#!/bin/bash
# Measures the regret of our agents on the solved positions anew: benchmarks/regret.sh [PROGRAM]. Writes NAME.txt and NAME.svg
# in benchmarks/regret/ for the duel and the battery. Takes some minutes. Regret and shares come out the same on every
# machine; microseconds, simulations/s and nodes/s do not.
set -eu
cd "$(dirname "$0")"
program=$(realpath "${1:-../build/release/longroll}")
for name in duel battery; do
    echo "regret/$name.txt, regret/$name.svg" >&2
    LONGROLL_SCENARIOS=../scenarios "$program" bench search "cedar-mountain/$name" \
        --budgets 10,30,100,300,1000,3000,10000 --svg "regret/$name.svg" >"regret/$name.new"
    mv "regret/$name.new" "regret/$name.txt"
done
