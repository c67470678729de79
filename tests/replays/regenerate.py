"""Writes the golden replays anew: `python3 regenerate.py [PROGRAM]`, by default build/release/longroll.

See README.md for when that is allowed: it throws away what the old ones prove.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SEED = 1862
PAIRS = [("random", "random"), ("greedy", "greedy"), ("greedy", "random"), ("random", "greedy")]
WHOLE, SMALL = (12, 12, 7, 7), (5, 5, 3, 3)  # games of each pair: 208 over all scenarios
SCENARIOS = {"historical": WHOLE, "free": WHOLE, "historical-pope": WHOLE, "free-pope": WHOLE,
             "gate": SMALL, "cedars": SMALL, "duel": SMALL, "battery": (2, 2, 2, 2)}


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(HERE.parents[1] / "build/release/longroll")
    for scenario, counts in SCENARIOS.items():
        folder = HERE / scenario
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for (union, confederate), games in zip(PAIRS, counts):
            with tempfile.TemporaryDirectory() as made:
                command = [program, "selfplay", f"cedar-mountain/{scenario}", "--games", str(games),
                           "--seed", str(SEED), "--union", union, "--confederate", confederate,
                           "--quiet", "--out", made]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                for number, path in enumerate(sorted(Path(made).iterdir()), 1):
                    shutil.copy(path, folder / f"{union}-{confederate}-{number:02d}.txt")


if __name__ == "__main__":
    main()
