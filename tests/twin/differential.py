"""Plays the engine and the twin side by side and stops at the first word on which they differ.

    python3 differential.py --games 40 --seed 1 [--policy random|odd|greedy|mixed] [SCENARIO ...]
    python3 differential.py --games 40 random:3:1 random:8:2 ...

At every step it compares: who moves, the kind of decision, the legal actions with their texts, the outcomes and the
event key of a die, and what the engine's observation says of every piece, the clock, the score and the piece in
hand against the twin's own account; at the end the result. The engine is reached through the shared library
(LONGROLL_LIBRARY, by default build/release/liblongroll.so) and its public header only. A difference is printed with the
scenario, the seed and the actions that lead to it, and makes the exit code 1. An hour's run: --seconds 3600.
"""

import argparse
import ctypes
import os
import random
import sys
import time
from pathlib import Path

from brigade import CHANCE, NOBODY, Game
from play import choose_odd

ROOT = Path(__file__).resolve().parents[2]
MOVERS = ["union", "confederate", "chance", "nobody"]
PHASES = ["setup", "command", "artillery", "movement", "defence", "offence", "rally", "over"]
KINDS = ["", "formation", "leader", "target", "join", "reroll", "retreat-to", "retreat", "advance", "pick", "enter", "move",
         "displace", "fire", "morale", "rally", "casualty", "arrival"]


class Column(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("low", ctypes.c_int), ("high", ctypes.c_int), ("meaning", ctypes.c_char_p)]


class Info(ctypes.Structure):
    _fields_ = [("ruleset", ctypes.c_char_p), ("ruleset_version", ctypes.c_int), ("scenario", ctypes.c_char_p),
                ("title", ctypes.c_char_p), ("scenario_hash", ctypes.c_uint64), ("state_bytes", ctypes.c_int),
                ("actions", ctypes.c_int), ("mask_bytes", ctypes.c_int), ("max_decisions", ctypes.c_int),
                ("score_low", ctypes.c_int), ("score_high", ctypes.c_int), ("hidden", ctypes.c_bool),
                ("piece_rows", ctypes.c_int), ("piece_columns", ctypes.c_int), ("global_columns", ctypes.c_int),
                ("piece_spec", ctypes.POINTER(Column)), ("global_spec", ctypes.POINTER(Column))]


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 320)]


def twin_game(library, scenario):
    """The twin's game. What no file holds is made by the engine, and both read the same text."""
    if ":" not in scenario:
        return Game(scenario)
    error, text = Error(), ctypes.create_string_buffer(1 << 16)
    length = library.lr_scenario_text(scenario.encode(), text, len(text), ctypes.byref(error))
    if length < 0:
        raise SystemExit(error.text.decode())
    assert length < len(text)
    return Game(scenario, text.value.decode())


class Engine:
    """One game of the library and one state of it."""

    def __init__(self, library, scenario):
        self.library, self.scenario = library, scenario
        self.game, error = ctypes.c_void_p(), Error()
        if library.lr_game_open(scenario.encode(), ctypes.byref(self.game), ctypes.byref(error)):
            raise SystemExit(error.text.decode())
        library.lr_game_info.restype = ctypes.POINTER(Info)
        for name in ("lr_decision", "lr_action_text"):
            getattr(library, name).restype = ctypes.c_char_p
        library.lr_event.restype = ctypes.c_uint64
        self.info = library.lr_game_info(self.game).contents
        self.state = (ctypes.c_uint64 * (self.info.state_bytes // 8))()
        self.pieces = (ctypes.c_uint8 * (self.info.piece_rows * self.info.piece_columns))()
        self.globals = (ctypes.c_int16 * self.info.global_columns)()
        self.piece_names = [self.info.piece_spec[i].name.decode() for i in range(self.info.piece_columns)]
        self.global_names = [self.info.global_spec[i].name.decode() for i in range(self.info.global_columns)]
        self.buffer = (ctypes.c_uint16 * 1024)()
        self.text = ctypes.create_string_buffer(64)
        library.lr_start(self.game, self.state)

    def to_move(self):
        return MOVERS[self.library.lr_to_move(self.game, self.state)]

    def decision(self):
        return self.library.lr_decision(self.game, self.state).decode()

    def legal(self):
        count = self.library.lr_legal(self.game, self.state, self.buffer)
        return [(a, self.library.lr_action_text(self.game, self.state, a, self.text).decode()) for a in self.buffer[:count]]

    def outcomes(self):
        weights, total = (ctypes.c_uint32 * 256)(), ctypes.c_uint32()
        count = self.library.lr_outcomes(self.game, self.state, weights, ctypes.byref(total))
        return list(weights[:count]), total.value

    def event(self):
        key = self.library.lr_event(self.game, self.state)
        turn, side, phase, kind, subject, occurrence = (key >> 8 * i & 255 for i in range(5, -1, -1))
        return turn, MOVERS[side], PHASES[phase], KINDS[kind], subject, occurrence

    def appraised(self):
        legal = self.legal()
        ids, values = (ctypes.c_uint16 * len(legal))(*[a for a, _ in legal]), (ctypes.c_int32 * len(legal))()
        self.library.lr_appraise(self.game, self.state, ids, len(legal), values)
        return max(range(len(legal)), key=lambda i: (values[i], -i)), legal

    def apply(self, action):
        error = Error()
        if self.library.lr_apply(self.game, self.state, action, ctypes.byref(error)):
            raise AssertionError(error.text.decode())
        if self.library.lr_state_check(self.game, self.state, ctypes.byref(error)):
            raise AssertionError(error.text.decode())

    def result(self):
        returns = (ctypes.c_float * 2)()
        self.library.lr_returns(self.game, self.state, returns)
        return {1.0: "union", -1.0: "confederate", 0.0: None}[returns[0]]

    def observe(self, player):
        self.library.lr_observe(self.game, self.state, player, self.pieces, self.globals)
        width = self.info.piece_columns
        rows = [dict(zip(self.piece_names, self.pieces[r * width:(r + 1) * width])) for r in range(self.info.piece_rows)]
        if player:
            rows = rows[32:] + rows[:32]
        return rows, dict(zip(self.global_names, self.globals))


def compare_pieces(twin, engine, player):
    """Differences between the engine's observation and the twin's account, as sentences."""
    account = twin.to_dict()
    rows, clock = engine.observe(player)
    pending = account["pending"]
    contact = set(account["contact"])
    differences = []

    def same(what, engine_says, twin_says):
        if engine_says != twin_says:
            differences.append(f"{what}: engine {engine_says}, twin {twin_says}")

    same("turn", clock["turn"], 0 if account["phase"] == "setup" else account["turn"])
    same("phase", PHASES[clock["phase"]], account["phase"])
    same("own_half", clock["own_half"], int(account["side"] == MOVERS[player]))
    same("victory points", clock["victory_points"], account["vp"] * (1 if player == 0 else -1))
    same("star points", clock["star_points"], account["stars"])
    joined = set((pending.get("attack") or {}).get("firers", [])) | set((pending.get("join") or {}).get("joined", []))
    checked = set((pending.get("attack") or {}).get("checked", []))
    entering = pending.get("enter", {}).get("piece")
    for slug, about in account["pieces"].items():
        seen = rows[about["row"]]
        where = about["hex"]
        alive, here = where != "eliminated", where not in (None, "reserve", "eliminated")
        if seen["place"] == 0:
            same(f"{slug} in play", None, where)
            continue
        leader = about["replacement"] is not None
        same(f"{slug} place", seen["place"], 2 if here else 1 if alive else 3)
        same(f"{slug} hex", f"{seen['column']:02d}{seen['row']:02d}" if here else None, where if here else None)
        if leader:
            same(f"{slug} front", seen["strength"], 0 if not alive else 1 if about["replacement"] else 2)
        else:
            same(f"{slug} strength", seen["strength"], about["strength"] if alive else 0)
        same(f"{slug} routed", seen["routed"], int(about["routed"]))
        if here and not leader:
            same(f"{slug} deployed", seen["deployed"], int(about["formation"] in ("unlimbered", "dismounted")))
        if about["in_command"] is not None:
            same(f"{slug} in command", seen["in_command"], int(about["in_command"]))
        same(f"{slug} joined", seen["joined"], int(slug in joined))
        if alive and account["decision"] not in ("casualty", "reroll"): # the twin notes the die when it is due
            same(f"{slug} checked", seen["checked"], int(slug in checked))
        if here and slug != entering:
            same(f"{slug} done", seen["done"], int(about["done"]))
        if account["phase"] not in ("setup", "over") and twin.turn in twin.game.night_turns:
            same(f"{slug} may fire at night", seen["may_fire"] if not leader else 0, int(slug in contact and here and not leader))
    move = pending.get("move")
    if move:
        same("spent", clock["spent"], move["spent"])
        same("acted", clock["acted"], int(move["acted"]))
    return differences


def compare(twin, engine):
    yield "to move", engine.to_move(), twin.to_move
    yield "decision", engine.decision(), twin.decision
    if twin.to_move == NOBODY:
        yield "result", engine.result(), twin.result
        return
    yield "legal", engine.legal(), [tuple(a) for a in twin.legal()]
    if twin.to_move == CHANCE:
        yield "outcomes", engine.outcomes(), ([1] * 10, 10)
        yield "event", engine.event(), tuple(twin.event())


def difference(twin, engine):
    for what, engine_says, twin_says in compare(twin, engine):
        if engine_says == twin_says:
            continue
        if what == "legal":
            ours, theirs = set(engine_says), set(twin_says)
            return f"legal: only the engine {sorted(ours - theirs)}, only the twin {sorted(theirs - ours)}"
        return f"{what}: engine {engine_says}, twin {twin_says}"
    for player in (0, 1):
        found = compare_pieces(twin, engine, player)
        if found:
            return "; ".join(found)
    return None


def choose(policy, twin, engine, rng):
    if twin.to_move == CHANCE or policy == "random":
        return rng.choice(twin.legal())[0]
    if policy == "odd":
        return choose_odd(twin, rng)
    best, legal = engine.appraised()
    return legal[best][0] if rng.random() < 0.9 else rng.choice(legal)[0]


def play(library, scenario, policy, seed):
    """Returns (decisions, dice, difference or None)."""
    rng = random.Random(f"{scenario} {policy} {seed}")
    twin, engine = twin_game(library, scenario).start(), Engine(library, scenario)
    texts, dice = [], 0
    while True:
        found = difference(twin, engine)
        if found:
            return len(texts) - dice, dice, f"{found}\n  after: {'; '.join(texts)}"
        if twin.to_move == NOBODY:
            return len(texts) - dice, dice, None
        action = choose(policy, twin, engine, rng)
        texts.append(dict(engine.legal())[action])
        dice += twin.to_move == CHANCE
        twin.apply(action)
        try:
            engine.apply(action)
        except AssertionError as fault:
            return len(texts) - dice, dice, f"engine: {fault}\n  after: {'; '.join(texts)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO",
                        default=["cedar-mountain/historical", "cedar-mountain/free", "cedar-mountain/historical-pope",
                                 "cedar-mountain/free-pope"])
    parser.add_argument("--games", type=int, default=40, help="games in all (default 40)")
    parser.add_argument("--seconds", type=float, default=0, help="play for so long instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--policy", choices=["random", "odd", "greedy", "mixed"], default="mixed")
    parser.add_argument("--keep-going", action="store_true", help="go on with the next game after a difference")
    options = parser.parse_args()
    library = ctypes.CDLL(os.environ.get("LONGROLL_LIBRARY", str(ROOT / "build/release/liblongroll.so")))
    started, games, decisions, dice, differences = time.monotonic(), 0, 0, 0, 0
    policies = ["random", "odd", "greedy"] if options.policy == "mixed" else [options.policy]
    while time.monotonic() - started < options.seconds if options.seconds else games < options.games:
        scenario = options.scenarios[games % len(options.scenarios)]
        policy = policies[games // len(options.scenarios) % len(policies)]
        seed = options.seed + games
        d, c, found = play(library, scenario, policy, seed)
        games, decisions, dice = games + 1, decisions + d, dice + c
        if found:
            differences += 1
            print(f"DIFFERENCE in {scenario}, {policy}, seed {seed}, decision {d}, die {c}: {found}", flush=True)
            if not options.keep_going:
                break
        elif sys.stderr.isatty():
            print(f"\r{games} games, {decisions} decisions, {dice} dice", end="", file=sys.stderr, flush=True)
    print(f"{games} games, {decisions} decisions, {dice} dice, {differences} differences, "
          f"{time.monotonic() - started:.0f} s")
    sys.exit(differences > 0)


if __name__ == "__main__":
    main()
