"""Plants one fault at a time in the rules of the brigade ruleset and sees whether the tests catch it.

    python3 plant.py [--faults N] [--seed S] [--list] [--report FILE]

Sites are drawn by seed from every comparison, logical operator, arithmetic sign, negation, small constant and truth value
in the rule chapters (env/brigade, without drawing, texts, observation, habits and file reading). For each the tree is
copied once into build/mutation, one line is changed, the library and the tests of env/brigade are built, and the checks run, the
cheapest first, until one fails: rule tests, perft tables, replays, then games against the twin. A fault that does
not compile counts as none and another is drawn. A fault that makes a check run past its deadline is caught.
The last lines say how many were caught and list the survivors with their place and change. CI plants ten.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / "build/mutation/tree"
BUILD = ROOT / "build/mutation/build"
CHAPTERS = ["advance", "artillery", "command", "destiny", "fire", "leaders", "map", "morale", "movement", "pieces", "rally",
            "reinforcements", "retreat", "setup", "sight", "turn", "victory"]

SWAPS = [(r"(?<![<>=!\-])<=(?!=)", "<"), (r"(?<![<>=!\-])>=(?!=)", ">"), (r"(?<![<>=!\-])<(?![<=])", "<="), (r"(?<![<>=!\-])>(?![>=])", ">="),
         (r"==", "!="), (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"), (r"(?<=[\w)\]] )\+(?= [\w(])", "-"),
         (r"(?<=[\w)\]] )-(?= [\w(])", "+"), (r"!(?=[\w(])", ""), (r"& ~", "& "), (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
         (r"(?<![\w.])0(?![\w.])", "1"), (r"(?<![\w.])1(?![\w.])", "2"), (r"(?<![\w.])1(?![\w.])", "0"), (r"(?<![\w.])2(?![\w.])", "3"),
         (r"(?<![\w.])10(?![\w.])", "9"), (r"board_or\b", "board_and"), (r"board_and\b", "board_or"), (r"board_minus\b", "board_and")]


def code_of(line):
    """The line without comment and strings, same length."""
    line = re.sub(r'"(\\.|[^"\\])*"', lambda m: '"' + " " * (len(m[0]) - 2) + '"', line)
    line = re.sub(r"/\*.*?\*/", lambda m: " " * len(m[0]), line)
    return re.sub(r"/\*.*", lambda m: " " * len(m[0]), line)


def sites():
    found = []
    for chapter in CHAPTERS:
        path = ROOT / "env/brigade" / f"{chapter}.c"
        in_comment = False
        for number, line in enumerate(path.read_text().split("\n")):
            opened = in_comment
            if "/*" in line and "*/" not in line.split("/*")[-1]:
                in_comment = True
            elif "*/" in line:
                in_comment = False
            code = code_of(line)
            if opened or code.startswith(("#", " *", "static_assert", "_Static_assert")) or "assert(" in code:
                continue
            for pattern, new in SWAPS:
                for m in re.finditer(pattern, code):
                    found.append((chapter, number, m.start(), m.end(), new))
    return found


def describe(site):
    chapter, number, start, end, new = site
    line = (ROOT / "env/brigade" / f"{chapter}.c").read_text().split("\n")[number]
    return f"{chapter}.c:{number + 1}: {line[:start].lstrip()}[{line[start:end]} -> {new or 'nothing'}]{line[end:]}"


def plant(site):
    chapter, number, start, end, new = site
    lines = (ROOT / "env/brigade" / f"{chapter}.c").read_text().split("\n")
    lines[number] = lines[number][:start] + new + lines[number][end:]
    (TREE / "env/brigade" / f"{chapter}.c").write_text("\n".join(lines))


def mend(site):
    shutil.copy(ROOT / "env/brigade" / f"{site[0]}.c", TREE / "env/brigade" / f"{site[0]}.c")


def run(command, seconds, **more):
    """True if it ends well within its time."""
    try:
        return subprocess.run(command, cwd=TREE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds, **more).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def prepare():
    if TREE.exists():
        shutil.rmtree(TREE)
    shutil.copytree(ROOT, TREE, ignore=shutil.ignore_patterns("build", ".git", "__pycache__", ".pytest_cache"))
    subprocess.run(["cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O1"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD], check=True, stdout=subprocess.DEVNULL)


def checks():
    """(name, command, seconds), the cheapest first."""
    python = os.environ.get("LONGROLL_PYTHON", sys.executable)
    library = str(BUILD / "liblongroll.so")
    environment = {**os.environ, "LONGROLL_LIBRARY": library, "LONGROLL_SCENARIOS": str(TREE / "scenarios"), "OMP_WAIT_POLICY": "passive"}
    ctest = ["ctest", "--test-dir", str(BUILD), "--stop-on-failure", "-Q", "-R"]
    return [("rule tests", [*ctest, "^env/brigade/", "-E", "env/brigade/test_(game|canonical)$"], 60, environment),
            ("perft and replays", [*ctest, "^(perft|replays)/"], 60, environment),
            ("whole games", [*ctest, "env/brigade/test_(game|canonical)$"], 120, environment),
            ("twin", [python, str(TREE / "tests/twin/differential.py"), "--games", "12", "--seed", "7"], 240, environment)]


def judge(all_checks):
    for name, command, seconds, environment in all_checks:
        if not run(command, seconds, env=environment):
            return name
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--faults", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1862)
    parser.add_argument("--list", action="store_true", help="only list the drawn sites")
    parser.add_argument("--report", help="write the result to this file too")
    options = parser.parse_args()
    drawn = sites()
    random.Random(options.seed).shuffle(drawn)
    if options.list:
        for site in drawn[:options.faults]:
            print(describe(site))
        return
    prepare()
    all_checks = checks()
    if (name := judge(all_checks)):
        sys.exit(f"the checks fail without a planted fault: {name}")
    caught, survivors, lines = {}, [], []

    def say(text):
        lines.append(text)
        print(text, flush=True)

    started = time.monotonic()
    for site in drawn:
        if sum(caught.values()) + len(survivors) == options.faults:
            break
        plant(site)
        if run(["cmake", "--build", str(BUILD)], 300):
            name = judge(all_checks)
            say(f"{'caught by ' + name if name else 'SURVIVED':28} {describe(site)}")
            if name:
                caught[name] = caught.get(name, 0) + 1
            else:
                survivors.append(site)
        mend(site)
    total = sum(caught.values()) + len(survivors)
    say(f"{sum(caught.values())} of {total} faults caught in {time.monotonic() - started:.0f} s: "
        + ", ".join(f"{count} by {name}" for name, count in caught.items()))
    for site in survivors:
        say("survivor: " + describe(site))
    if options.report:
        Path(options.report).write_text("\n".join(lines) + "\n")
    sys.exit(1 if sum(caught.values()) < 0.95 * total else 0)


if __name__ == "__main__":
    main()
