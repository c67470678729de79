"""Plants one fault at a time in the rules of the brigade ruleset and sees whether the tests catch it.

    python3 plant.py [--faults N] [--seed S] [--only TEXT] [--effective] [--list] [--report FILE]

Sites are every comparison, logical and bit operator, sign, negation, condition, whole number and truth value in the rule chapters and
their two headers (env/brigade, without drawing, texts, observation, habits, counting and file reading). They are taken in the order of a hash of
seed, line and change, so an edit elsewhere changes neither their order nor their choice.

The tree is copied once into build/mutation and built with the rules as one shared library to which the tests are linked, so
that a fault costs one object and one link. Then the checks run, the quickest first, until one fails: every test of env/brigade, perft tables,
replays; and for those still at large the slow ones, games against the twin among them. A fault that does not compile counts as none and the
next is taken. A check that runs past its deadline, eight times what it takes without a fault, has caught its fault.

A survivor is either a gap in the tests or a change without effect; why it has none stands in equivalent.txt, under its place and change. The exit
code is 0 when at most 5 in 100 faults are neither caught nor explained there. --report writes SURVIVORS.md. CI plants ten (build.sh).
"""

import argparse
import hashlib
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / "build/mutation/tree"
BUILD = ROOT / "build/mutation/build"
RULES = Path("env/brigade")
CHAPTERS = ["advance.c", "artillery.c", "brigade.h", "chapters.h", "command.c", "destiny.c", "fire.c", "leaders.c", "map.c", "morale.c",
            "movement.c", "pieces.c", "rally.c", "reinforcements.c", "retreat.c", "setup.c", "sight.c", "turn.c", "victory.c"]
LIBRARY = "longroll_env"
SLOW = {"canonical", "game", "mask_theorem", "scenario"}
FLAGS = "-O1 -fsanitize=bounds,shift -fsanitize-undefined-trap-on-error" # a little of what the debug preset would see
SOURCES = {chapter: (ROOT / RULES / chapter).read_text() for chapter in CHAPTERS} # as they are when this starts

PREDICATES = r"(?:has|led|shattered|board_test|board_any|(?:is|can|may)_\w+)"
NUMBER = r"(?<![\w.#])(\d+)(?![\w.])"
CHANGES = [(r"(?<![<>=!\-])<=(?!=)", "<"), (r"(?<![<>=!\-])>=(?!=)", ">"), (r"(?<![<>=!\-])<(?![<=])", "<="), (r"(?<![<>=!\-])>(?![>=])", ">="),
           (r"==", "!="), (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"), (r"(?<=[\w)\]] )\+(?= [\w(])", "-"), (r"(?<=[\w)\]] )-(?= [\w(])", "+"),
           (r"(?<=[\w)\]] )&(?= [\w(~])", "|"), (r"(?<=[\w)\]] )\|(?= [\w(~])", "&"), (r"\+\+", "--"), (r"(?<!-)--", "++"),
           (r"\+=", "-="), (r"-=", "+="), (r"\|=", "&="), (r"&= ~", "&= "), (r"!(?=[\w(])", ""), (r"& ~", "& "), (rf"(?<![!\w]){PREDICATES}\(", r"!\g<0>"),
           (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"board_or\b", "board_and"), (r"board_and\b", "board_or"),
           (r"board_minus\b", "board_and"), (r"board_up\b", "board_down"), (r"board_down\b", "board_up"),
           (NUMBER, lambda m: str(int(m[1]) + 1)), (NUMBER, lambda m: str(int(m[1]) - 1))]


class Site:
    """One change of one line: what stands there, at which columns, and what is put there."""

    def __init__(self, chapter, number, line, occurrence, start, end, new):
        self.chapter, self.number, self.line, self.start, self.end, self.new = chapter, number, line, start, end, new
        self.change = f"{line[:start].lstrip()}[{line[start:end]} -> {new or 'nothing'}]{line[end:]}"
        self.name = f"{chapter}: {self.change}" + (f" #{occurrence}" if occurrence else "")

    def order(self, seed):
        return hashlib.sha256(f"{seed} {self.name}".encode()).digest()

    def faulty(self):
        return self.line[:self.start] + self.new + self.line[self.end:]

    def __str__(self):
        return f"{self.chapter}:{self.number + 1}: {self.change}"


def code_of(text):
    """The text without comments, strings and characters, of the same length and lines."""
    blank = lambda m: re.sub(r"[^\n]", " ", m[0])
    return re.sub(r"/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", blank, text, flags=re.S)


def counted_lines(code):
    """The numbers of the lines that do something: of headers only the bodies of their inline functions."""
    inside = False
    for number, line in enumerate(code):
        if line.startswith("static inline"):
            inside = True
        yield number, inside
        if line.startswith("}") or (inside and line.rstrip().endswith("}") and line.startswith("static")):
            inside = False


def condition_negations(line):
    """`if (X)` and `while (X)` on one line: the brackets' place and their negation."""
    for m in re.finditer(r"\b(?:if|while) (?=\()", line):
        depth = 0
        for at in range(m.end(), len(line)):
            depth += (line[at] == "(") - (line[at] == ")")
            if depth == 0:
                yield m.end(), at + 1, f"(!{line[m.end():at + 1]})"
                break


def sites():
    found, seen = [], Counter()
    for chapter in CHAPTERS:
        text = SOURCES[chapter]
        lines, code = text.split("\n"), code_of(text).split("\n")
        for number, in_function in counted_lines(code):
            line = code[number]
            if (chapter.endswith(".h") and not in_function) or re.match(r"#|_?[Ss]tatic_assert", line) or "assert(" in line:
                continue
            spans = [(m.start(), m.end(), m.expand(new) if isinstance(new, str) else new(m))
                     for pattern, new in CHANGES for m in re.finditer(pattern, line)]
            for start, end, new in spans + list(condition_negations(line)):
                site = Site(chapter, number, lines[number], 0, start, end, new)
                seen[site.name] += 1
                found.append(Site(chapter, number, lines[number], seen[site.name] - 1, start, end, new))
    return found


def write_chapter(chapter, text):
    (TREE / RULES / chapter).write_text(text)


def plant(site):
    lines = SOURCES[site.chapter].split("\n")
    lines[site.number] = site.faulty()
    write_chapter(site.chapter, "\n".join(lines))


def mend(chapter):
    write_chapter(chapter, SOURCES[chapter])


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, seconds=None, **more):
    """The output of a command that ends well within its time, or None and what is said of its end."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, preexec_fn=limits, **more)
    except subprocess.TimeoutExpired:
        return "does not end"
    if done.returncode == 0:
        return None
    failed = re.search(r"\[  FAILED  \] (\w+)", done.stdout.decode(errors="replace"))
    return failed[1] if failed else "differs" if done.returncode > 0 else "crashes"


def build(*targets):
    return subprocess.run(["cmake", "--build", str(BUILD), "--target", *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def prepare():
    """The tree as it is now, and everything that the checks need, built."""
    shutil.rmtree(TREE, ignore_errors=True)
    shutil.copytree(ROOT, TREE, ignore=shutil.ignore_patterns("build", ".git", "__pycache__", ".pytest_cache"))
    for chapter in CHAPTERS:
        mend(chapter) # newer than what an interrupted run has left built
    subprocess.run(["cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Planted", f"-DCMAKE_C_FLAGS={FLAGS}",
                    "-DBUILD_SHARED_LIBS=ON", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"], check=True, stdout=subprocess.DEVNULL)
    tests = subprocess.run(["cmake", "--build", BUILD, "--target", "help"], check=True, capture_output=True, text=True).stdout
    built = build(*re.findall(r"^((?:env_brigade|perft|replays)_test_\w+):", tests, re.M))
    if built.returncode:
        sys.exit(built.stdout.decode())


def checks(twin_games):
    """(name, command) of each: the quick ones, then the slow ones, which take more than five seconds."""
    tests = [(path.name.partition("_test_")[2], [path]) for path in sorted((BUILD / "tests").glob("*_test_*"))]
    twin = ("twin", [sys.executable, TREE / "tests/twin/differential.py", "--games", str(twin_games), "--seed", "7"])
    return [test for test in tests if test[0] not in SLOW], [test for test in tests if test[0] in SLOW] + [twin]


def run_check(command, seconds):
    environment = {**os.environ, "LONGROLL_LIBRARY": str(BUILD / f"lib{LIBRARY}.so"), "LONGROLL_SCENARIOS": str(TREE / "scenarios"),
                   "OMP_WAIT_POLICY": "passive"}
    return run(command, seconds, cwd=BUILD, env=environment)


def time_of(check):
    started = time.monotonic()
    if (fault := run_check(check[1], 600)):
        sys.exit(f"the checks fail without a planted fault: {check[0]}: {fault}")
    return time.monotonic() - started


def timed(all_checks):
    """(name, command, deadline), the quickest first, after a run of each on the rules as they are."""
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        found = sorted(zip(workers.map(time_of, all_checks), all_checks), key=lambda check: check[0])
    # Endless loops are common, so a deadline is short; a machine may be busier than it was.
    return [(name, command, 3 + 8 * seconds) for seconds, (name, command) in found]


def judge(site, timed_checks):
    """What catches the fault: "" if nothing does, None if it does not compile."""
    plant(site)
    by = "" if build(LIBRARY).returncode == 0 else None
    for name, command, deadline in timed_checks if by == "" else []:
        fault = run_check(command, deadline)
        if fault:
            by = f"{name}: {fault}"
            break
    mend(site.chapter)
    return by


def run_faults(drawn, wanted, twin_games, say):
    """(site, what caught it or "") of so many faults. Slow checks are for those that pass the quick ones."""
    quick, slow = checks(twin_games)
    timed_checks, results = timed(quick), []
    for site in drawn:
        if len(results) == wanted:
            break
        by = judge(site, timed_checks)
        if by is not None:
            results.append((site, by))
            say(site, by or "not yet caught")
    if all(by for _, by in results):
        return results
    build(LIBRARY)
    timed_checks = timed(slow)
    for i, (site, by) in enumerate(results):
        if not by:
            results[i] = site, judge(site, timed_checks)
            say(site, results[i][1] or "SURVIVED")
    return results


def read_equivalents():
    """The reasons in equivalent.txt: a line with place and change, then indented lines with the reason."""
    reasons, name = {}, None
    for line in (Path(__file__).parent / "equivalent.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith(" "):
            reasons[name] = f"{reasons[name]} {line.strip()}".strip()
        else:
            name = line
            reasons[name] = ""
    return reasons


def report(path, options, results, seconds):
    reasons = read_equivalents() # may have been written meanwhile
    caught = [(site, by) for site, by in results if by]
    survivors = [site for site, by in results if not by]
    unexplained = [site for site in survivors if not reasons.get(site.name)]
    effective = len(caught) + len(unexplained)
    counts = Counter(by.partition(":")[0] for _, by in caught)
    text = [f"# Planted faults: seed {options.seed}, {len(results)} faults", "",
            f"Written by `python3 tests/mutation/plant.py --faults {options.faults} --seed {options.seed} --report tests/mutation/SURVIVORS.md`"
            f" in {seconds:.0f} s, from {len(sites())} sites.", "",
            f"- {len(caught)} of {len(results)} caught, {100 * len(caught) / len(results):.1f} in 100;",
            f"- {len(survivors) - len(unexplained)} survivors change nothing that can be seen, for the reasons below (`equivalent.txt`);",
            f"- {len(unexplained)} survivors are gaps in the tests: of faults with an effect {100 * len(caught) / effective:.1f} in 100 are caught.",
            "", "| caught by | faults |", "| --- | --- |"]
    text += [f"| {name} | {count} |" for name, count in counts.most_common()]
    text += ["", "## Survivors", ""] + [f"- `{site}`  \n  {reasons.get(site.name) or '**not explained**'}" for site in survivors]
    text += ["", "## All faults, and the first check that failed", ""] + [f"- {by or 'survived'} -- `{site}`" for site, by in results]
    Path(path).write_text("\n".join(text) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--faults", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1862)
    parser.add_argument("--only", metavar="TEXT", help="only sites whose place and change hold this text")
    parser.add_argument("--effective", action="store_true", help="pass over those that equivalent.txt explains")
    parser.add_argument("--list", action="store_true", help="only list the drawn sites")
    parser.add_argument("--twin-games", type=int, default=12, help="games against the twin (default 12)")
    parser.add_argument("--report", metavar="FILE", help="write what SURVIVORS.md says")
    options = parser.parse_args()
    reasons = read_equivalents()
    drawn = [site for site in sites() if not (options.only and options.only not in str(site)) and not (options.effective and site.name in reasons)]
    drawn.sort(key=lambda site: site.order(options.seed))
    if options.list:
        print(*drawn[:options.faults], sep="\n")
        return
    prepare()
    started = time.monotonic()
    results = run_faults(drawn, options.faults, options.twin_games, lambda site, by: print(by, "--", site, flush=True))
    seconds = time.monotonic() - started
    caught = sum(1 for _, by in results if by)
    gaps = [site for site, by in results if not by and not reasons.get(site.name)]
    print(f"{caught} of {len(results)} faults caught, {len(results) - caught - len(gaps)} have no effect, {len(gaps)} missed, in {seconds:.0f} s")
    if options.report:
        report(options.report, options, results, seconds)
    sys.exit(len(gaps) * 20 > caught + len(gaps))


if __name__ == "__main__":
    main()
