"""The engine against the twin, the short form: perft tables at small depth, and forty games side by side.

The long forms: `perft.py --limit 20000` and `differential.py --seconds 3600`. The library is LONGROLL_LIBRARY, by
default build/release/liblongroll.so.
"""

import ctypes
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import differential  # noqa: E402
import perft  # noqa: E402

TABLES = perft.read_tables()
LIMIT = 100  # positions in a row
NAMES = ("historical", "free", "historical-pope", "free-pope", "gate", "cedars", "duel", "battery")
SCENARIOS = [f"cedar-mountain/{name}" for name in NAMES]
BATTLES = [f"random:{1 + n % 8}:{1862 + n}" for n in range(32)]
POLICIES = ["odd", "greedy", "random"]


@pytest.fixture(scope="module")
def library():
    path = Path(os.environ.get("LONGROLL_LIBRARY", differential.ROOT / "build/release/liblongroll.so"))
    assert path.is_file(), f"{path} is not there: build it, or name another with LONGROLL_LIBRARY"
    return ctypes.CDLL(str(path))


def test_tables_cover_scenarios_and_thirty_states():
    assert set(SCENARIOS) < set(TABLES)
    assert {name for name in TABLES if name.endswith(".yaml")} == {
        f"states/{path.name}" for path in (perft.TABLES / "states").glob("*.yaml")}
    assert len(TABLES) >= 37


@pytest.mark.parametrize("name", TABLES)
def test_perft(name):
    _, positions, difference = perft.compare(name, TABLES[name], LIMIT)
    assert difference is None
    assert positions > 1


@pytest.mark.parametrize("number, name", list(enumerate(SCENARIOS + BATTLES)))
def test_game(library, number, name):
    decisions, dice, difference = differential.play(library, name, POLICIES[number % 3], 1862 + number)
    assert difference is None
    assert decisions > 0
