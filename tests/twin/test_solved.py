"""The published solved positions (scenarios/NAME.solved.json), proved again by the twin: rules in Python that never saw the
C, backward induction from the last phases, and Python's own fractions. And the duel's file, made anew, is the same to the byte.
"""

import contextlib
import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from brigade import CHANCE, CONFEDERATE, NOBODY, UNION, Game  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("cedar-mountain/duel", "cedar-mountain/battery")
STATES = int(os.environ.get("LONGROLL_SOLVED_STATES", "1500"))  # for a file; 120000 prove all of the duel, in minutes
PHASES = ("artillery", "movement", "defensive fire", "offensive fire")  # of a half-turn; the other side has defensive fire
VALUE = {UNION: Fraction(1), CONFEDERATE: Fraction(-1)}


def file_of(name):
    return ROOT / "scenarios" / f"{name}.solved.json"


class TooFar(Exception):
    pass


class Solver:
    """Plain backward induction; a state is known by what the twin says of it (to_dict, which differential.py compares)."""

    def __init__(self, states):
        self.left, self.known = states, {}

    def value(self, state):
        if state.to_move == NOBODY:
            return VALUE.get(state.result, Fraction(0))
        key = json.dumps(state.to_dict())
        if key not in self.known:
            self.left -= 1
            if self.left < 0:
                raise TooFar
            values = [self.value(after(state, action)) for action, _ in state.legal()]
            pick = {CHANCE: lambda v: sum(v) / len(v), UNION: max, CONFEDERATE: min}[state.to_move]
            self.known[key] = pick(values)
        return self.known[key]


def after(state, action):
    return state.clone().apply(action)


def how_late(position):
    """Sorts positions by turn, half-turn and phase, so that the last have the fewest states to come."""
    turn, _, phase = position["heading"].partition(", ")
    side, _, phase = phase.partition(" ")
    if phase not in PHASES:  # set-up
        return "", 0, 0
    second = (side == "confederate") != (phase == "defensive fire")
    return turn, second, PHASES.index(phase), len(position["path"])


def play(game, path):
    state = game.start()
    for text in path:
        by_text = {t: i for i, t in state.legal()}
        assert text in by_text, (text, path)
        state.apply(by_text[text])
    return state


@pytest.mark.parametrize("name", NAMES)
def test_the_twin_offers_the_same_actions(name):
    game = Game(name)
    for position in json.loads(file_of(name).read_text())["positions"]:
        state = play(game, position["path"])
        assert {"union": UNION, "confederate": CONFEDERATE}[position["to_move"]] == state.to_move
        assert [text for _, text in state.legal()] == list(position["actions"])


@pytest.mark.parametrize("name", NAMES)
def test_the_twin_finds_the_same_values(name):
    game, solver, proved = Game(name), Solver(STATES), 0
    positions = json.loads(file_of(name).read_text())["positions"]
    with contextlib.suppress(TooFar):
        for position in sorted(positions, key=how_late, reverse=True):
            state = play(game, position["path"])
            for action, text in state.legal():
                value = solver.value(after(state, action))
                assert value == Fraction(position["actions"][text]), (position["path"], text)
                proved += 1
    assert proved >= 50, proved


def test_the_duels_file_is_made_by_one_command(tmp_path):
    program = os.environ.get("LONGROLL_PROGRAM", ROOT / "build/release/longroll")
    out = tmp_path / "duel.json"
    subprocess.run([program, "solve", NAMES[0], "--quiet", "--out", out], check=True, capture_output=True,
                   env={**os.environ, "LONGROLL_SCENARIOS": str(ROOT / "scenarios")})
    assert out.read_bytes() == file_of(NAMES[0]).read_bytes()
