#!/bin/sh
# chaos.sh FAULT [NUMBER]: a bot that takes the first legal action until its third question, and then does FAULT. Faults named
# greeting-... come before the game, and some last all game. NUMBER: mebibytes of a flood; seconds of slow; one question in
# so many of mortal.
# Whatever sleeps does it for $CHAOS_SLEEP seconds, by which a test knows what was left behind.
fault=$1 number=${2:-1} question=0
sleep=${CHAOS_SLEEP:-600}

reply() { echo "= $1"; }
first() { shift; reply "$1"; } # of the words of a question

misbehave() { # the question's words
    case $fault in
    exit) echo "out of ammunition" >&2; exit 3 ;;
    die) kill -9 $$ ;;
    hang) sleep "$sleep" ;;
    freeze) kill -STOP $$ ;;
    spin) while :; do :; done ;;
    deaf) trap '' TERM HUP INT QUIT; sleep "$sleep"; sleep "$sleep" ;;
    late) sleep 0.7; first "$@" ;;
    flood) head -c "${number}M" /dev/zero | tr '\0' x; sleep "$sleep" ;;
    flood-lines) yes "= " | head -c "${number}M"; sleep "$sleep" ;;
    flood-blank) yes "" | head -c "${number}M"; sleep "$sleep" ;;
    flood-errors) yes "it rains" | head -c "${number}M" >&2; first "$@" ;;
    close-stdin) first "$@"; exec </dev/null; sleep "$sleep" ;;
    close-stdin-late) first "$@"; sleep 0.1; exec </dev/null; sleep "$sleep" ;;
    close-stdout) exec >/dev/null; sleep "$sleep" ;;
    abandon) sleep "$sleep" & exit 0 ;;
    scrub) env -i sleep "$sleep" & exit 0 ;;
    escape) setsid -f sleep "$sleep"; exit 0 ;;
    children) sleep "$sleep" & setsid -f sleep "$sleep"; first "$@" ;;
    garbage) printf '\377\376 what?\n'; sleep "$sleep" ;;
    nul) printf '= 0\0001\n'; sleep "$sleep" ;;
    partial) printf '= 0'; sleep "$sleep" ;;
    partial-end) printf '= 0'; exit 0 ;;
    nothing) reply "" ;;
    refuse) echo "? I would rather not" ;;
    foreign) reply 1000 ;;
    huge) reply 99999999999999999999999 ;;
    negative) reply -1 ;;
    word) reply charge ;;
    # not faults
    crlf) shift; printf '\r\n\n=%s \r\n\r\n\n' "$1" ;;
    descriptors) [ "$(ls /proc/self/fd | wc -l)" = 4 ] && first "$@" || echo "? more than my own descriptors" ;;
    *) first "$@" ;;
    esac
}

choose() {
    question=$((question + 1))
    case $fault in
    slow) sleep "$number" ;;
    mortal) # in one question of NUMBER, killed at some moment of the next ten milliseconds
        dice=$(od -An -N2 -tu2 /dev/urandom)
        if [ $((dice % number)) = 0 ]; then
            { sleep "0.00$((dice / number % 10))"; kill -9 $$; } >/dev/null &
        fi
        ;;
    esac
    if [ $question = 3 ]; then misbehave "$@"; else first "$@"; fi
}

case $fault in
greeting-exit) exit 0 ;;
greeting-silent) sleep "$sleep" ;;
greeting-flood) yes | head -c "${number}M"; sleep "$sleep" ;;
esac

while read -r command rest; do
    case $command in
    protocol_version) [ "$fault" = greeting-version ] && reply 99 || reply 1 ;;
    name) [ "$fault" = nameless ] && echo "? name" || reply "Chaos" ;;
    version) reply $$ ;;
    known_command) reply false ;;
    newgame) question=0; [ "$fault" = greeting-refuse ] && echo "? not this one" || reply ;;
    choose) choose $rest ;;
    quit) reply; [ "$fault" = stay ] && sleep "$sleep"; exit 0 ;;
    result) reply; [ "$fault" = one-game ] && exit 0 ;;
    *) reply ;;
    esac
done
