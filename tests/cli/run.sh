#!/bin/bash
# Drives the program as a user would: tests/cli/run.sh PROGRAM. Prints each check and exits non-zero if one failed.
# Good input first, then every kind of bad input: one line on stderr that names the thing, the right exit code, and
# nothing half-written.
set -u

program=$(realpath "${1:?usage: run.sh PROGRAM}")
source=$(cd "$(dirname "$0")/../.." && pwd)
export LONGROLL_SCENARIOS=$source/scenarios
scenario=cedar-mountain/historical
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

# ThreadSanitizer runs exit handlers in an order of its own, in which libstdc++ flushes before the program looks; and it begins
# by writing a large file, so that it cannot run under a limit of file sizes.
tsan=false
no_space="No space left"
if grep -q __tsan_init "$program"; then
    tsan=true
    no_space="(No space left|an earlier write failed)"
fi

note() { # note OK? NAME [DETAIL]
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
        echo "ok      $2"
    else
        failed=$((failed + 1))
        echo "FAILED  $2${3:+: $3}"
    fi
}

# good NAME PATTERN COMMAND...: exits 0, says nothing on stderr, prints a line that matches.
good() {
    local name=$1 pattern=$2 code
    shift 2
    "$program" "$@" >out 2>err </dev/null
    code=$?
    if [ $code != 0 ]; then note 1 "$name" "exit code $code: $(head -c 300 err)"
    elif [ -s err ]; then note 1 "$name" "stderr: $(head -c 300 err)"
    elif ! grep -Eq -- "$pattern" out; then note 1 "$name" "no '$pattern' in: $(head -c 300 out)"
    else note 0 "$name"; fi
}

# bad NAME CODE PATTERN COMMAND...: that exit code, one line on stderr "longroll: ..." that matches, no leftovers.
bad() {
    local name=$1 expected=$2 pattern=$3 code
    shift 3
    "$program" "$@" >out 2>err </dev/null
    code=$?
    judge "$name" "$expected" "$pattern" "$code"
}

judge() { # NAME EXPECTED PATTERN CODE, on ./err
    if [ "$4" != "$2" ]; then note 1 "$1" "exit code $4, not $2: $(head -c 300 err)"
    elif [ "$(wc -l <err)" != 1 ]; then note 1 "$1" "$(wc -l <err) lines on stderr: $(head -c 300 err)"
    elif ! grep -Eq "^longroll: .*($3)" err; then note 1 "$1" "no '$3' in: $(head -c 300 err)"
    elif [ -n "$(find . -name '*.new-*')" ]; then note 1 "$1" "left behind: $(find . -name '*.new-*')"
    else note 0 "$1"; fi
}

same() { cmp -s "$2" "$3"; note $? "$1"; }
absent() { [ ! -e "$2" ]; note $? "$1"; }
json() { sed -n "s/^ *\"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$1" | head -1; } # json FILE KEY

# ---- what works ----

good "version" "^longroll [0-9]+\.[0-9]+\.[0-9]+$" --version
for command in "" list play selfplay tournament replay show legal apply check solve balance bench; do
    # shellcheck disable=SC2086
    good "help of longroll $command" "Exit codes:" $command --help
    # shellcheck disable=SC2086
    good "version of longroll $command" "^longroll [0-9]" $command --version
done
good "list names the scenario" "$scenario" list
good "list names the random battles" "random:SIZE:SEED .*\(brigade\)" list
good "list as JSON" '"name": "greedy"' list --json

good "play" "^result: (union|confederate|draw) \(.+\)" play $scenario --seed 7 --replay game.txt
cp game.txt first.txt
good "play again" "^result:" play $scenario --seed 7 --replay game.txt
same "the same seed gives the same replay" first.txt game.txt
good "play as JSON" '"winner": "(union|confederate|draw)"' play $scenario --seed 7 --json
cp out by.json
hash=$(json out hash)
bots=$(dirname "$program")/bots
good "list names the players that are no agents" "exec:COMMAND" list
good "a bot plays as the agent would" "\"hash\": \"$hash\"" play $scenario --seed 7 --json --union "exec:'$bots/greedy_bot'"
good "a clock is told" "^time: union [0-9.]+ s" play $scenario --seed 7 --game-time 60 --increment 1 --move-time 20
good "a bot that does not start loses" "^result: union \(no-start: .*No such file" play $scenario --confederate exec:./nobot
good "its end is in the JSON" '"end": "no-start"' play $scenario --confederate exec:./nobot --json
good "a spec with quotes is recorded" "^result: confederate \(no-start" \
    play $scenario --union 'exec:sh -c "exit \"3\" # \\"' --replay quotes.txt
good "and its replay verifies" "^verified" replay quotes.txt --verify
good "a late bot loses" "^result: confederate \(timeout" play $scenario --move-time 0.2 \
    --union "exec:sh -c 'for i in 1 2 3 4 5 6; do echo =\ 1; done; sleep 60'"
good "a margin is forgiven" "^result: (union|confederate) \([^:]" play cedar-mountain/duel --move-time 0.01 --margin 60 \
    --union "exec:'$source/tests/agents/bots/chaos.sh' slow 0.03"
printf 'help\n1\nquit\n' | "$program" play cedar-mountain/duel --union human >out 2>err
note $? "a person may leave" "$(head -c 300 out)"
grep -q "^result: none (stopped: human left)" out; note $? "then there is no result" "$(head -c 300 out)"
grep -q "^ *1  pick blue" err; note $? "choices are numbered on stderr" "$(head -c 300 err)"
good "play shows headings" "^after turn" play $scenario --seed 7 --union random --show
good "replay sums up" "hash $hash" replay game.txt
good "replay verifies" "^verified: .*hash $hash" replay game.txt --verify
good "replay shows" "^after turn" replay game.txt --show
good "replay draws the end" "hash $hash" replay game.txt --final
good "replay as JSON" "\"hash\": \"$hash\"" replay game.txt --json

for threads in 1 2 8; do
    good "selfplay on $threads threads" '"confederate": [0-9]+' \
        selfplay $scenario --games 24 --threads $threads --union random --json
    json out hash >"hash$threads"
    json out decisions >>"hash$threads"
done
[ -s hash1 ]; note $? "selfplay gives a hash"
same "hash of 1 and 2 threads" hash1 hash2
same "hash of 1 and 8 threads" hash1 hash8
good "selfplay with another seed" '"games": 24' selfplay $scenario --games 24 --union random --json --seed 2
[ "$(json out hash)" != "$(head -1 hash1)" ]; note $? "another seed gives other games"
good "selfplay sums up" "^hash: +[0-9a-f]{16}$" selfplay $scenario --games 6
good "selfplay writes replays" "^replays:" selfplay $scenario --games 3 --union random --out games
[ "$(ls games)" = "$(printf 'game-%06d.txt\n' 1 2 3)" ]; note $? "one file a game"
good "a written replay verifies" "^verified:" replay games/game-000003.txt --verify

good "show draws" "to move" show $scenario --out start.yaml
good "show as JSON" '"to_move"' show start.yaml --json
good "check a scenario by name" "valid" check $scenario
good "check a scenario file" "valid" check "$LONGROLL_SCENARIOS/$scenario.yaml"
good "check a state file" "valid" check start.yaml
good "legal" "^ +[0-9]+  [a-z]" legal start.yaml
good "legal as JSON" '"decision": "' legal start.yaml --json
id=$(json out id)
text=$(json out text)
good "apply an id" "state" apply start.yaml "$id"
cp out by-id.yaml
good "apply a quoted text" "state" apply start.yaml "$text"
same "an id and its text do the same" by-id.yaml out
# shellcheck disable=SC2086
good "apply an unquoted text" "state" apply start.yaml $text
same "quoted and unquoted do the same" by-id.yaml out
good "apply writes a file" "to move" apply start.yaml "$text" --out next.yaml
same "printed and written are the same" by-id.yaml next.yaml
good "what apply wrote is valid" "valid" check next.yaml
good "apply as JSON" '"applied"' apply start.yaml "$text" --json

# The recorded game again by hand, up to its first die: the texts of a replay are those that apply takes.
mapfile -t moves < <(grep -Ev '^(\[|#|hash |end [0-9]|$)' first.txt | tr ';' '\n' | sed 's/^ *//; s/ *$//; /^$/d')
before=()
for move in "${moves[@]}"; do
    case $move in roll*) break ;; esac
    before+=("$move")
done
good "a recorded game applied up to its first die (${#before[@]} actions)" "chance to move" \
    apply start.yaml "${before[@]}" --out walk.yaml
good "the same, action by action unquoted" "chance to move" apply start.yaml ${before[*]} --out words.yaml
same "quoted and unquoted games are the same" walk.yaml words.yaml
good "all of it applied" "$(json by.json winner)" apply start.yaml "${moves[@]}" --json
[ "$(json out over)" = true ]; note $? "a recorded game applied to its end is over"
good "apply a die" "to move" apply walk.yaml roll 7 --out rolled.yaml
bad "a face that the die has not" 1 "roll 11" apply walk.yaml roll 11

good "a random battle" "^result:" play random:3:7 --replay random.txt
good "its replay verifies" "^verified:" replay random.txt --verify
good "its state opens" "to move" show random:3:7 --out random.yaml
good "and is valid" "valid" check random.yaml
good "balance" "^  random:2:1 +5 " balance random:2:1 'random:1:*@4' --games 5
good "balance of a family" "^  random:1:\\* +4 " balance random:2:1 'random:1:*@4' --games 5
good "balance as Markdown" "^### Strength points lost" balance cedar-mountain/duel --games 5 --markdown
printf 'kept\n<!-- longroll balance: all that follows is generated -->\ngone\n' >balance.md
"$program" balance cedar-mountain/duel --games 5 --into balance.md >out 2>err </dev/null; note $? "balance into a file" "$(cat err)"
[ "$(head -1 balance.md)" = kept ] && grep -q "^| cedar-mountain/duel | 5 " balance.md && ! grep -q gone balance.md
note $? "what stands above the marker stays, what is below is replaced"

good "bench playout" '"decisions_per_s": [1-9]' bench playout --seconds 0.2 --json
for key in games_per_s decisions_per_game state_bytes environment_bytes; do
    [ -n "$(json out $key)" ]; note $? "bench tells $key"
done
good "bench batch" '"decisions_per_s": [1-9]' bench batch --seconds 0.2 --batch 32 --json
good "bench on two threads" '"efficiency": [0-9]' bench playout --seconds 0.4 --threads 2 --json
good "bench rollout" '"share": ' bench rollout --seconds 0.4 --scenario cedar-mountain/gate --json
good "bench rollout on two threads" "^efficiency" bench rollout --seconds 0.5 --threads 2 --scenario cedar-mountain/gate
good "bench tournament" '"percent_at_100_games_per_s"' bench tournament --seconds 0.5 --scenario cedar-mountain/gate --json

good "a duel half fought" "confederate to move" apply cedar-mountain/duel pick blue to 0504 to 0303 target 0303 roll 3 \
    target 0203 roll 8 roll 5 --out half.yaml
good "solve" '^exactly +42612241651/62500000000$' solve half.yaml --quiet
good "solve tells the best actions" '^ +\+0.681796 best +end movement$' solve half.yaml --quiet
good "solve as JSON" '"value": "42612241651/62500000000"' solve half.yaml --quiet --json --out half.json --positions 30
good "the same seed gives the same positions" "solved" solve half.yaml --quiet --out again.json --positions 30
same "byte for byte" half.json again.json
good "bench search" '^mcts:prior=none,simulations=20 +[0-9.]+ \(' bench search --states half.json --svg regret.svg \
    --agents random,mcts:prior=none,rollout=random,mcts:prior=none,expectimax:depth=1,nodes=500 --budgets 5,20
[ "$(grep -c '^[a-z]*:*[a-z0-9=,]* *[0-9.]* (' out)" = 6 ]; note $? "an option belongs to the agent before it" "$(cat out)"
grep -q '^<svg .*' regret.svg && grep -q '^</svg>$' regret.svg; note $? "regret is drawn"
good "bench search of the published positions" '"best_share": 0\.[0-9]' bench search cedar-mountain/duel --agents greedy --json
good "of the battery" '"positions": 240' bench search --agents random,greedy --repeats 1 --json
grep -q '"agent": "greedy"' out; note $? "each agent has its row"

# ---- what is asked for wrongly: exit code 2 ----

bad "solve: unknown scenario" 2 "nowhere" solve cedar-mountain/nowhere
bad "solve: no states" 2 "--limit.*'0'" solve half.yaml --limit 0
bad "bench search: no solved positions" 2 "gate: make a file.*--states" bench search cedar-mountain/gate
bad "bench search: no such file" 2 "none.json: No such file" bench search --states none.json
bad "bench search: unknown agent" 2 "'napoleon'" bench search --states half.json --agents greedy,napoleon
bad "bench search: unknown option of an agent" 2 "'color'" bench search --states half.json --agents mcts:color=red
bad "bench search: budgets that are none" 2 "--budgets.*'10,x'" bench search --states half.json --budgets 10,x
bad "bench search: no agents" 2 "needs an agent" bench search --states half.json --agents ''

bad "no command" 2 "no command"
bad "unknown command" 2 "'conquer'.*selfplay" conquer
bad "unknown option before the command" 2 "--bogus" --bogus
for command in list "play $scenario" "selfplay $scenario" "replay game.txt" "show start.yaml" "legal start.yaml" \
    "apply start.yaml $id" "check start.yaml" "balance duel" "solve duel" "bench playout"; do
    # shellcheck disable=SC2086
    bad "unknown option of $command" 2 "--bogus" $command --bogus
done
for command in play selfplay show legal apply check solve; do
    bad "$command without an argument" 2 "needs" $command
done
bad "play: unknown scenario" 2 "cedar-mountain/nowhere" play cedar-mountain/nowhere
bad "selfplay: unknown scenario" 2 "nowhere" selfplay nowhere
bad "legal: unknown scenario" 2 "nowhere" legal nowhere
bad "bench: unknown scenario" 2 "nowhere" bench playout --scenario nowhere
bad "a scenario name that climbs out" 2 "cedar-mountain/../../nowhere" play cedar-mountain/../../nowhere
for name in random:0:1 random:9:1 random:x random:3 random:3:07 "random:3:1 "; do
    bad "no random battle '$name'" 2 "\"$name\".*random:SIZE:SEED" play "$name"
done
bad "balance: unknown scenario" 2 "nowhere" balance $scenario nowhere
bad "balance: unknown agent" 2 "'napoleon'" balance --union napoleon
bad "balance: games that are no number" 2 "SCENARIO@.*'many'" balance $scenario@many
bad "balance: no random battles of that size" 2 "random:9:" balance 'random:9:*'
bad "play: unknown agent" 2 "'napoleon'.*random, greedy" play $scenario --union napoleon
bad "play: a bot without a command" 2 "exec:.*names no command" play $scenario --union exec:
bad "play: a bot without a port" 2 "tcp:localhost.*HOST:PORT" play $scenario --union tcp:localhost
bad "play: a move time that is no number" 2 "--move-time.*'soon'" play $scenario --move-time soon
bad "play: a move time below 0" 2 "--move-time.*'-1'" play $scenario --move-time=-1
bad "selfplay: unknown agent" 2 "'napoleon'" selfplay $scenario --confederate napoleon --out never
absent "a refused selfplay makes no folder" never
bad "two scenarios" 2 "'more'" play $scenario more
bad "games that is no number" 2 "--games.*'many'" selfplay $scenario --games many
bad "no games" 2 "--games.*'0'" selfplay $scenario --games 0
bad "a negative seed" 2 "--seed.*'-1'" play $scenario --seed=-1
bad "too many threads" 2 "--threads.*'99999'" selfplay $scenario --threads 99999
bad "an option without its value" 2 "requires an argument" play $scenario --seed
bad "unknown bench" 2 "'leisure'.*playout, batch.*tournament" bench leisure
bad "no seconds" 2 "--seconds" bench playout --seconds 0
bad "a state file's name without .yaml" 2 "\.yaml" show start.yaml --out start.txt
absent "nothing written" start.txt
bad "replay: no such file" 2 "nothing.txt" replay nothing.txt
bad "check: no such file" 2 "nothing.yaml" check nothing.yaml

# ---- what cannot be solved, and files of solved positions that are faulty: exit code 1 ----

bad "solve: too many states" 1 "more than 1000 states \\([0-9]+ of these are solved" solve half.yaml --quiet --limit 1000 --out none.json
absent "nothing is written" none.json
sed 's/^  turn: 1/  turn: 2/' half.yaml >last.yaml # few positions are left
bad "solve: more positions than there are" 1 "ask for fewer" solve last.yaml --quiet --out none.json --positions 100000
absent "nothing written either" none.json
timeout --preserve-status -s INT 1 "$program" solve cedar-mountain/gate --limit 100000000 --quiet >out 2>err </dev/null
judge "solve, interrupted" 1 "stopped at [0-9]+ states" $?
bad "solve into a missing folder" 1 "missing/half.json" solve half.yaml --quiet --positions 5 --out missing/half.json
# faulty NAME PATTERN SED: half.json, changed
faulty() {
    sed "$3" half.json >faulty.json
    bad "solved positions: $1" 1 "faulty.json.*$2" bench search --states faulty.json --agents greedy
}
faulty "no JSON" "line [0-9]+" 's/^ "positions".*/&[/'
faulty "another format" "longroll: 1" 's/"longroll": 1/"longroll": 2/'
faulty "other rules" "other rules" 's/"ruleset_version": [0-9]*/"ruleset_version": 99/'
faulty "another scenario" "other rules" 's/"scenario_hash": "./"scenario_hash": "g/'
faulty "an unknown scenario" "nowhere" 's/"cedar-mountain.duel"/"cedar-mountain\/nowhere"/'
faulty "an illegal path" "position [0-9]+: .*to 0909" 's/"path":\["pick grey"/"path":["to 0909"/'
faulty "an action that is not legal" "not the legal" 's/"actions":{"[^"]*"/"actions":{"to nowhere"/'
faulty "a value that is none" "no fraction" 's/"actions":{\("[^"]*"\):"[^"]*"/"actions":{\1:"2\/4"/'
faulty "a root that is none" "root: " 's/"root": "/&x: [/'
faulty "no positions" "no positions" 's/"positions"/"puzzles"/'
bad "bench search onto a missing folder" 1 "missing/r.svg" bench search --states half.json --agents greedy --svg missing/r.svg --json

# ---- faulty scenarios: exit code 1 ----

# faulty NAME FILE SED PATTERN: a copy of the scenario with one edit must be refused by check and by play.
faulty() {
    rm -rf edited
    cp -r "$LONGROLL_SCENARIOS/cedar-mountain" edited
    sed -i "$3" "edited/$2"
    if cmp -s "edited/$2" "$LONGROLL_SCENARIOS/cedar-mountain/$2"; then
        note 1 "$1" "the test's edit of $2 no longer applies"
        return
    fi
    bad "$1" 1 "$4" check edited/historical.yaml
    bad "$1 (play)" 1 "$4" play edited/historical.yaml --replay never.txt
    absent "$1: nothing written" never.txt
}

faulty "broken YAML" historical.yaml 's/^title: .*/title: "no end/' "line [0-9]+"
faulty "a tab in YAML" historical.yaml 's/^turns:/\tturns: [/' "line [0-9]+"
faulty "unit off the map" historical.yaml '/piece: Bayard/s/"0904"/"2604"/' '2604'
faulty "a hex that is no hex" historical.yaml '/piece: Bayard/s/"0904"/"09x4"/' '09x4'
faulty "two units in a hex" historical.yaml '/piece: Gordon/s/"0905"/"0904"/' '0904'
faulty "an unknown unit" historical.yaml 's/piece: Bayard/piece: Napoleon/' 'Napoleon'
faulty "impossible strength" units.yaml '/"Crawford"/s/strength: 17/strength: 999/' 'strength|999'
faulty "no strength" units.yaml '/"Crawford"/s/strength: 17/strength: 0/' 'strength'
faulty "strength that is no number" units.yaml '/"Crawford"/s/strength: 17/strength: many/' 'many|strength|line'
faulty "unknown ruleset" historical.yaml 's/^ruleset: .*/ruleset: checkers/' 'checkers'
faulty "a file that is missing" historical.yaml 's/^map: .*/map: nomap.yaml/' 'nomap.yaml'
: >empty.yaml
bad "an empty scenario" 1 "empty.yaml" check empty.yaml
head -c 4000 /dev/zero | tr '\0' '[' >deep.yaml
bad "a scenario of brackets" 1 "deep.yaml" check deep.yaml
head -c 300 "$program" >binary.yaml
bad "a scenario that is a program" 1 "binary.yaml" check binary.yaml
bad "a scenario that is a folder" 1 "folder.yaml" check "$(mkdir folder.yaml && echo folder.yaml)"

# ---- faulty states: exit code 1 ----

# edited NAME SED PATTERN: the first state with one edit must be refused.
edited() {
    sed "$2" start.yaml >edited.yaml
    if cmp -s start.yaml edited.yaml; then
        note 1 "$1" "the test's edit of a state file no longer applies"
        return
    fi
    bad "$1" 1 "$3" check edited.yaml
    bad "$1 (apply)" 1 "$3" apply edited.yaml "$id" --out never.yaml
    absent "$1: nothing written" never.yaml
}

edited "a state with a unit off the map" '/"Crawford"/s/"1005"/"2605"/' '2605'
edited "a state with two units in a hex" '/"Gordon"/s/"0905"/"1005"/' '1005|Gordon'
edited "a state with a unit twice" '/"Gordon"/s/Gordon/Crawford/' 'Crawford'
edited "a state with an unknown unit" 's/"Crawford"/"Napoleon"/' 'Napoleon'
edited "a strength above the full one" '/"Crawford"/s/strength: 17/strength: 18/' 'strength'
edited "a strength of nothing" '/"Crawford"/s/strength: 17/strength: 0/' 'strength'
edited "a strength that wraps around" '/"Crawford"/s/strength: 17/strength: 273/' 'strength'
edited "an unknown phase" 's/phase: setup/phase: picnic/' 'phase'
edited "a decision of another phase" 's/phase: setup/phase: rally/' 'phase|rally|decision|turn'
edited "victory points out of range" 's/vp: 0/vp: 30000/' 'vp|30000'
edited "broken YAML in a state" 's/^  pieces:/  pieces: [/' 'line [0-9]+'
head -c $(($(wc -c <start.yaml) / 2)) start.yaml >half.yaml
bad "half a state file" 1 "" check half.yaml
edited "a state of an unknown scenario" 's/^scenario: .*/scenario: cedar-mountain\/nowhere/' 'nowhere'

# ---- actions ----

cp next.yaml kept.yaml
bad "an unparsable action" 1 'surrender' apply start.yaml surrender --out next.yaml
bad "an action id out of range" 1 '99999' apply start.yaml 99999 --out next.yaml
bad "an action that is not legal here" 1 'end movement' apply start.yaml end movement --out next.yaml
bad "the second of two actions" 1 'action 2.*surrender' apply start.yaml "$id" surrender --out next.yaml
bad "an endless action" 1 '' apply start.yaml "$(head -c 5000 /dev/zero | tr '\0' x)" --out next.yaml
bad "an empty action" 1 '' apply start.yaml "" --out next.yaml
same "refused actions write nothing" kept.yaml next.yaml

# ---- faulty replays: exit code 1 ----

head -c $(($(wc -c <game.txt) / 2)) game.txt >half.txt
bad "a truncated replay" 1 "half.txt: .*" replay half.txt --verify
sed '$d' game.txt >unended.txt
bad "a replay without its end" 1 "unended.txt" replay unended.txt --verify
awk '!done && /roll 1[;]?$|roll [2-9]/ { sub(/roll [0-9]+/, "roll 1"); done = 1 } { print }' game.txt >altered.txt
cmp -s game.txt altered.txt && sed '0,/roll 1/s//roll 2/' game.txt >altered.txt
bad "a replay with an altered die" 1 "altered.txt" replay altered.txt --verify
sed 's/^\[Seed .*/[Seed "8"]/' game.txt >reseeded.txt
bad "a replay with another seed" 1 "reseeded.txt" replay reseeded.txt --verify
sed 's/^\[ScenarioHash .*/[ScenarioHash "0000000000000000"]/' game.txt >foreign.txt
bad "a replay of another scenario" 1 "foreign.txt" replay foreign.txt --verify
sed 's/^\[Scenario .*/[Scenario "gettysburg\/full"]/' game.txt >unknown.txt
bad "a replay of an unknown scenario" 1 "unknown.txt" replay unknown.txt --verify
sed 's/^\[Ruleset .*/[Ruleset "brigade 999"]/' game.txt >future.txt
bad "a replay of another ruleset version" 1 "future.txt" replay future.txt --verify
cp "$program" program.txt
bad "a replay that is a program" 1 "program.txt" replay program.txt --verify
: >empty.txt
bad "an empty replay" 1 "empty.txt" replay empty.txt --verify

# ---- disks that are full ----

# /dev/full is only written to through the shell, and only while it is a device: a fault in the program must not be able
# to replace a part of the machine. What is no regular file is tried with a pipe of our own.
full=/dev/full
[ -c $full ] || { full=$work/full-device; mknod "$full" c 1 7 2>mknod.err; }
[ -c "$full" ] && : 2>/dev/null >"$full"; note $? "there is a full device to write to" "$(cat mknod.err 2>/dev/null)"
for command in list "list --json" "play $scenario" "selfplay $scenario --games 2" "replay game.txt" "show $scenario" \
    "legal $scenario --json" "apply start.yaml $id" "check start.yaml" "play --help"; do
    # shellcheck disable=SC2086
    "$program" $command >"$full" 2>err </dev/null
    judge "full disk: $command" 1 "standard output: $no_space" $?
done
mkfifo pipe
bad "a replay onto a pipe" 1 "pipe: it is not a regular file" play $scenario --replay pipe
[ -p pipe ]; note $? "the pipe is still a pipe"
bad "a replay into a missing folder" 1 "missing/game.txt" play $scenario --replay missing/game.txt
bad "balance into a missing file" 1 "missing.md" balance cedar-mountain/duel --games 2 --into missing.md
bad "balance into a file without the marker" 1 "game.txt has no line" balance cedar-mountain/duel --games 2 --into game.txt
bad "selfplay into a missing folder" 1 "missing/games" selfplay $scenario --games 2 --out missing/games
bad "selfplay onto a file" 1 "game.txt" selfplay $scenario --games 2 --out game.txt

# A file size limit of 1 KiB fails each write halfway as a full disk does, for any user and without a mount. (Under no
# bytes at all libomp, which clang's builds use, cannot share its memory and dies.) The fault goes down a pipe, since the
# limit holds for redirected files too.
limited() { # limited NAME PATTERN FILE COMMAND...
    local name=$1 pattern=$2 file=$3 code
    shift 3
    { (trap '' XFSZ; ulimit -f 1; "$program" "$@" </dev/null 2>&1 >/dev/null; echo "code $?") | cat; } >both
    code=$(sed -n 's/^code //p' both)
    grep -v '^code ' both >err
    judge "$name" 1 "$pattern" "$code"
}
full_disks() {
    limited "full disk while a replay is written" "never.txt" never.txt play $scenario --replay never.txt
    absent "no half replay" never.txt
    limited "full disk while a replay is replaced" "first.txt" first.txt play $scenario --seed 9 --replay first.txt
    same "the old replay is still there" game.txt first.txt
    limited "full disk while a state is written" "next.yaml" next.yaml apply start.yaml "$id" --out next.yaml
    same "the old state is still there" kept.yaml next.yaml
    limited "full disk during selfplay" "game-00000" full selfplay $scenario --games 4 --union random --out full
    [ -z "$(ls full 2>/dev/null)" ]; note $? "no half games"
}
$tsan || full_disks

# ---- stopping ----

"$program" selfplay $scenario --games 1000000 --union random --confederate random >out 2>err </dev/null &
child=$!
sleep 1
kill -INT $child
wait $child
judge "selfplay stopped by SIGINT" 1 "stopped after [0-9]+ of 1000000 games" $?
grep -q "^wins:" out; note $? "what was played is summed up"
"$program" play $scenario --show 2>err | head -1 >/dev/null
[ ! -s err ]; note $? "a reader who goes away makes no noise"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
