"""Writes tables.csv anew from the engine: `python3 regenerate.py [PROGRAM]`, by default build/release/longroll.

Only when the rules change on purpose (and the ruleset version with them), or when positions are added. Then let the
twin say whether it agrees: `python3 tests/twin/perft.py --limit 20000`.
"""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
COLUMNS = ["depth", "positions", "decisions", "dice", "over", "mass"]
MOST_POSITIONS, MOST_DEPTH = 400_000, 10
NAMES = ("historical", "free", "historical-pope", "free-pope", "gate", "cedars", "duel", "battery")
SCENARIOS = [f"cedar-mountain/{name}" for name in NAMES]


def rows_of(program, position, depth):
    command = [program, "perft", position, "--depth", str(depth), "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["rows"]


def deepest(program, position):
    """One depth after another, until there are too many positions or nothing goes on."""
    rows = rows_of(program, position, 1)
    for depth in range(2, MOST_DEPTH + 1):
        further = rows_of(program, position, depth)
        if further[-1]["positions"] > MOST_POSITIONS or further[-1]["positions"] == further[-1]["over"] == 0:
            break
        rows = further
    return rows


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(HERE.parents[1] / "build/release/longroll")
    lines = [",".join(["name", *COLUMNS])]
    for name in SCENARIOS + sorted(f"states/{path.name}" for path in (HERE / "states").glob("*.yaml")):
        for row in deepest(program, str(HERE / name) if name.endswith(".yaml") else name):
            lines.append(",".join([name] + [str(row[key]) for key in COLUMNS]))
    (HERE / "tables.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
