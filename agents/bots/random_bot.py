#!/usr/bin/env python3
"""A bot that plays any legal action: the smallest that speaks the protocol of agents/BOTS.md. Use it as

    longroll play cedar-mountain/duel --union "exec:python3 agents/bots/random_bot.py" --show

and put your own idea into choose()."""
import random
import sys


def choose(legal):
    """legal: [(id, text)]; returns an id (or a text)."""
    return random.choice(legal)[0]


def answer(line):
    command, *arguments = line.split("\t")[0].split()
    if command == "choose":
        return choose([tuple(item.split(" ", 1)) for item in line.split("\t")[1:]])
    fixed = {"protocol_version": "1", "name": "Random bot", "version": "1.0", "known_command": "false"}
    return fixed.get(command, "")  # newgame, clock, play, result, quit: taken note of


for line in map(str.strip, sys.stdin):
    if line:
        print("=", answer(line), flush=True)
    if line == "quit":
        break
