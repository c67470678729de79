"""Plays games with the twin alone, checks invariants on the way, and prints how long they were.

    python3 play.py --games N --policy random|odd --seed S [SCENARIO]

`random` chooses evenly among the legal actions. `odd` chooses evenly among the kinds of action first (picks, cells, each verb),
seldom ends fire or movement early, and likes to move towards the enemy, so that rare things happen.
"""

import argparse
import random
import time
from collections import Counter

from brigade import CHANCE, CONFEDERATE, ELIMINATED, NOBODY, UNION, Game, other


def check_game(game):
    """The map's own consistency."""
    for a in game.hexes:
        assert game.hex_of(game.cell(a)) == a
        for b in game.hexes:
            assert (game.distance(a, b) == 1) == (b in game.neighbours[a]), (a, b)


def check_state(s):
    game = s.game
    legal = s.legal()
    if s.to_move == NOBODY:
        assert s.decision == "over" and not legal and s.result in (UNION, CONFEDERATE)
        return
    assert legal and s.result is None
    ids, texts = [i for i, _ in legal], [t for _, t in legal]
    assert ids == sorted(set(ids)) and len(set(texts)) == len(texts)
    assert (s.to_move == CHANCE) == (s.event() is not None)
    if s.to_move == CHANCE:
        assert legal == [(n, f"roll {n + 1}") for n in range(10)]
    else:
        assert len(legal) > 1
    passing = {f["unit"] for f in s.agenda if f["do"] == "retreat"}
    passing |= {f["piece"] for f in s.agenda if f["do"] == "move"}
    held = {}
    for row, p in game.pieces.items():
        h = s.place[row]
        if not s.on_map(row):
            assert row not in s.fired and row not in s.in_command and row not in s.routed
            assert not p.combat or h != ELIMINATED or s.strength[row] == 0
            continue
        assert h in game.neighbours and h not in game.prohibited, (p, h)
        if p.combat:
            assert 0 < s.strength[row] <= p.strength
            if row not in passing:
                assert h not in held, (p, h)
                held[h] = p.side
            if row in s.routed:
                assert s.form.get(row) != "unlimbered"
    for row, p in game.pieces.items():
        if s.on_map(row):
            assert held.get(s.place[row], p.side) == p.side, "on an enemy"
    for a in s.leaders(UNION):
        assert all(s.place[a] != s.place[b] for b in s.leaders(CONFEDERATE)) or any(f["do"] == "displace" for f in s.agenda)


def choose_random(s, rng):
    return rng.choice(s.legal())[0]


def choose_odd(s, rng):
    legal = s.legal()
    if len(legal) > 1 and rng.random() < 0.95:
        legal = [(i, t) for i, t in legal if t not in ("end fire", "end movement")]
    kinds = {}
    for i, t in legal:
        kinds.setdefault(t if i >= 576 else t.split()[0], []).append(i)
    ids = kinds[rng.choice(sorted(kinds))]
    if s.decision == "move" and ids[0] < 576 and rng.random() < 0.7:
        enemies = [s.place[r] for r in s.units(other(s.to_move))]
        if enemies:
            near = lambda i: min(s.game.distance(s.game.hex_of(i), e) for e in enemies)
            least = min(map(near, ids))
            ids = [i for i in ids if near(i) == least]
    return rng.choice(ids)


POLICIES = {"random": choose_random, "odd": choose_odd}


def play(game, policy, rng, kinds, clone_rate=0.01):
    s = game.start()
    choices = dice = options = 0
    while s.to_move != NOBODY:
        check_state(s)
        kinds[s.decision] += 1
        if s.to_move == CHANCE:
            dice += 1
            action = rng.randrange(10)
        else:
            choices += 1
            options += len(s.legal())
            action = policy(s, rng)
        if rng.random() < clone_rate:                       # a clone is equal, and lives its own life
            before = s.to_dict()
            other_life = s.clone()
            assert other_life.to_dict() == before and other_life.legal() == s.legal()
            other_life.apply(rng.choice(other_life.legal())[0])
            assert s.to_dict() == before
        s.apply(action)
    check_state(s)
    return s, choices, dice, options


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--games", type=int, default=10)
    ask.add_argument("--policy", choices=sorted(POLICIES), default="random")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--quiet", action="store_true", help="the summary only")
    ask.add_argument("scenario", nargs="?", default="cedar-mountain/historical")
    args = ask.parse_args()

    game = Game(args.scenario)
    check_game(game)
    totals, wins, kinds, spent = Counter(), Counter(), Counter(), 0.0
    for n in range(args.games):
        rng = random.Random(f"{args.seed}/{n}")
        began = time.perf_counter()
        s, choices, dice, options = play(game, POLICIES[args.policy], rng, kinds)
        took = time.perf_counter() - began
        spent += took
        wins[s.result] += 1
        totals.update(choices=choices, dice=dice, options=options, vp=s.vp, stars=s.stars)
        if not args.quiet:
            print(f"game {n}: {choices} decisions, {dice} dice, vp {s.vp:+d}, stars {s.stars}, {s.result}, {took:.2f} s", flush=True)
    games = max(1, args.games)
    print(f"{args.scenario}, {args.policy}: mean {totals['choices'] / games:.1f} decisions with a choice"
          f" ({totals['options'] / max(1, totals['choices']):.1f} options each), {totals['dice'] / games:.1f} dice,"
          f" vp {totals['vp'] / games:+.1f}, stars {totals['stars'] / games:.1f},"
          f" union wins {wins[UNION] / games:.0%}, {spent / games:.2f} s a game")
    print("asked: " + ", ".join(f"{k} {v}" for k, v in sorted(kinds.items())))


if __name__ == "__main__":
    main()
