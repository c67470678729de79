"""Which tests prove which rule: writes COVERAGE.md from rules.csv and the tests' names; fails where a rule has none.

    python3 coverage.py              write COVERAGE.md anew
    python3 coverage.py --check      say what is wrong, as the build does; nothing is written
    python3 coverage.py --self-test  spoil the list and the tests in each way that must be noticed, and see that it is

A test's name begins with the rules that it proves: test_8_2_stops_when_entering_a_zone, test_ruling_9a_..., and for
several test_8_4_and_ruling_17_...; what follows does not begin with a digit. rules.csv has a line for every numbered rule
of the chapters 2 to 14 of the rulebook and for every ruling. A rule that no test can prove says why in `untested`.
"""

import csv
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RULINGS = HERE.parents[2] / "scenarios/cedar-mountain/RULINGS.md"
TABLE = HERE / "COVERAGE.md"

NUMBER = r"(?:ruling_\d+[a-z]?|\d+(?:_\d+)*)"
# RULE(name) with TEST(name), or plain cmocka.
DEFINED = re.compile(r"^(?:RULE\(|static void )(\w+)(?:\)|\(void \*\*)", re.M)
GROUPED = re.compile(r"\b(?:TEST|cmocka_unit_test\w*)\((\w+)")
NAMED_AFTER = re.compile(rf"test_({NUMBER}(?:_and_{NUMBER})*)_(?=[a-zA-Z])")

PAGE = """# Which tests prove which rule

Made by `coverage.py` from `rules.csv` and the names of the tests in this folder; the build fails when a rule has no test or this page is not up
to date. Numbers are those of the rulebook's chapters and of `scenarios/cedar-mountain/RULINGS.md`.

{tested} rules and rulings are tested, by {tests} tests named after them; {untested} have nothing to test.

| rule | what it says | tests |
| --- | --- | --- |
"""


def rules_of(name):
    """["8.4", "ruling 17"] of test_8_4_and_ruling_17_...; none if it is named after no rule."""
    named = NAMED_AFTER.match(name)
    if not named:
        return []
    return [n.replace("_", " ") if n.startswith("r") else n.replace("_", ".") for n in named[1].split("_and_")]


def read_tests(sources):
    """What each file defines and what it puts into its group, as lists of names."""
    return {file: (DEFINED.findall(text), GROUPED.findall(text)) for file, text in sources.items()}


def table(rules, tests):
    proved = {rule["rule"]: [] for rule in rules}
    for file, (defined, _) in sorted(tests.items()):
        for name in defined:
            for rule in rules_of(name):
                proved.setdefault(rule, []).append(f"`{name}` ({file})")
    named = {(file, name) for file, (defined, _) in tests.items() for name in defined if rules_of(name)}
    untested = sum(not proved[rule["rule"]] for rule in rules)
    page = PAGE.format(tested=len(rules) - untested, tests=len(named), untested=untested)
    for rule in rules:
        by = "<br>".join(proved[rule["rule"]]) or f"none: {rule['untested']}"
        page += f"| {rule['rule']} | {rule['title']} | {by} |\n"
    return page


def faults(rules, tests, rulings, page):
    """A sentence for everything that is wrong."""
    said = []
    numbers = [rule["rule"] for rule in rules]
    said += [f"rules.csv: {n} is listed twice." for n in sorted(set(numbers)) if numbers.count(n) > 1]
    said += [f"rules.csv: {n} has no title." for n, rule in zip(numbers, rules) if not rule["title"]]
    listed = [n.removeprefix("ruling ") for n in numbers if n.startswith("ruling ")]
    said += [f"rules.csv: ruling {n} of RULINGS.md is not listed." for n in rulings if n not in listed]
    said += [f"rules.csv: ruling {n} is no ruling of RULINGS.md." for n in listed if n not in rulings]
    for n in numbers:
        above, _, last = n.rpartition(".")
        before = f"{above}.{int(last) - 1}".lstrip(".") if last.isdigit() else ""
        if last.isdigit() and last != ("1" if above else "2") and before not in numbers:
            said.append(f"rules.csv: {n} is listed, {before} before it is not.")
        if above and above not in numbers:
            said.append(f"rules.csv: {n} is listed, {above} above it is not.")
    if "14" not in numbers:
        said.append("rules.csv: the list ends before chapter 14.")
    proved = set()
    for file, (defined, grouped) in sorted(tests.items()):
        for name in defined:
            if name not in grouped:
                said.append(f"{file}: {name} is not in the group that main runs: see how the others are there.")
                continue
            if re.match(r"test_(ruling|\d)", name) and not rules_of(name):
                said.append(f"{file}: {name} names a rule that cannot be read: see coverage.py.")
            said += [f"{file}: {name} names {n}, and there is no such rule in rules.csv."
                     for n in rules_of(name) if n not in numbers]
            proved.update(rules_of(name))
    for rule in rules:
        n, reason = rule["rule"], rule["untested"]
        if n not in proved and not reason:
            said.append(f"{n} ({rule['title']}) has no test.")
        if n in proved and reason:
            said.append(f"rules.csv: {n} is said to have nothing to test, but has tests.")
    if not said and page != table(rules, tests):
        said.append("COVERAGE.md is not up to date: run python3 tests/env/brigade/coverage.py.")
    return said


def read():
    with open(HERE / "rules.csv", newline="") as file:
        rules = list(csv.DictReader(file))
    sources = {path.name: path.read_text() for path in HERE.glob("*.c")}
    rulings = re.findall(r"^\s*(?:- )?(\d+[a-z]?)\. ", RULINGS.read_text(), re.M)
    return rules, sources, rulings


def self_test():
    """All is right, then is spoiled in one place after another; each time the sentence expected must come."""
    rules, sources, rulings = read()
    whole = table(rules, read_tests(sources))

    def without(number):
        return [rule for rule in rules if rule["rule"] != number]

    def renamed(pattern, new):
        return {file: re.sub(pattern, new, text) for file, text in sources.items()}

    def expect(words, rules=rules, sources=sources, rulings=rulings, page=whole):
        said = faults(rules, read_tests(sources), rulings, page)
        if (words and not any(words in sentence for sentence in said)) or (said and not words):
            sys.exit(f"coverage.py: expected \"{words}\", got {said}")

    expect("")
    expect("there is no such rule in rules.csv", rules=without("8.2"))
    expect("8.3 is listed, 8.2 before it is not", rules=without("8.2"))
    expect("9.8.1 is listed, 9.8 above it is not", rules=without("9.8"))
    expect("ruling 57 of RULINGS.md is not listed", rules=without("ruling 57"))
    expect("is no ruling", rulings=rulings[:-1])
    expect("listed twice", rules=rules + rules[:1])
    expect("ruling 17 (", sources=renamed("_and_ruling_17_", "_"))
    expect("8.3 (leaving", sources=renamed("test_8_3_(?=[a-z])", "test_"))
    expect("names 8.9", sources=renamed("test_8_3_(?=[a-z])", "test_8_9_"))
    expect("cannot be read", sources=renamed("test_8_3_(?=[a-z])", "test_8_3"))
    expect("not in the group", sources=renamed(r"TEST\(test_8_3_(?=[a-z])\w+\),", ""))
    expect("nothing to test, but has", rules=[dict(r, untested="idle") if r["rule"] == "8.3" else r for r in rules])
    expect("not up to date", page=whole.replace("| 8.3 |", "| 8.3  |"))


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    rules, sources, rulings = read()
    tests = read_tests(sources)
    page = TABLE.read_text() if TABLE.exists() else ""
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    if not arguments:
        page = table(rules, tests)
        TABLE.write_text(page)
    said = faults(rules, tests, rulings, page)
    if said:
        sys.exit("\n".join(said))


if __name__ == "__main__":
    main(sys.argv[1:])
