"""`longroll report`, `ladder` and `rate`: every form is read back and compared with the rows of the ledger."""

import csv
import html.parser
import io
import json
import pathlib
import re
import sqlite3
import subprocess
import xml.etree.ElementTree as xml

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = ROOT / "build" / "release" / "longroll"
WINNERS, DRAWN = {"union": 0, "confederate": 1}, 2
NAMES = ["greedy", "random", 'o<d>&"d, one']


def longroll(*arguments, code=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    """A round robin of three bots, one of them with a name that no format likes."""
    path = tmp_path_factory.mktemp("report") / "league.db"
    scenarios = ["--scenario", "cedar-mountain/duel", "--scenario", "cedar-mountain/gate"]
    longroll("tournament", "--bot", "greedy", "--bot", "random", "--bot", NAMES[2] + "=greedy", *scenarios,
             "--rounds", 20, "--name", 'The "A" league', "--out", path, "--quiet")
    return path


@pytest.fixture(scope="module")
def rows(ledger):
    with sqlite3.connect(f"file:{ledger}?mode=ro", uri=True) as database:
        games = database.execute("select id, scenario, union_bot, confederate_bot, winner from game order by id")
        return [(*game[:4], WINNERS.get(game[4], DRAWN)) for game in games]


def points(rows, bot, side=None):
    """Points and games of a bot, from the rows."""
    won = played = 0
    for _, _, union, confederate, winner in rows:
        for s, who in enumerate((union, confederate)):
            if who == bot and side in (None, s):
                played += 1
                won += 1 if winner == s else 0.5 if winner == DRAWN else 0
    return won, played


def test_json_counts_what_the_rows_say(ledger, rows):
    report = json.loads(longroll("report", ledger, "--json"))
    assert report["games"] == report["expected"] == len(rows) == 240
    assert report["anchor"] == "greedy"
    for bot in report["bots"]:
        index = NAMES.index(bot["name"])
        won, played = points(rows, index)
        assert bot["games"] == played == 160
        assert bot["score"] == pytest.approx(won / played)
        for s, side in enumerate(("union", "confederate")):
            assert bot[side]["won"] + bot[side]["drawn"] / 2 == points(rows, index, s)[0]
    for s, scenario in enumerate(report["scenarios"]):
        assert scenario["union"] == sum(1 for row in rows if row[1] == s and row[4] == 0)
    assert sum(sum(p["pentanomial"]) for p in report["pairings"]) == 120
    elo = {bot["name"]: bot["elo"] for bot in report["bots"]}
    assert elo["random"]["low"] < elo["random"]["value"] < elo["random"]["high"] < elo["greedy"]["value"] == 0


def test_text_names_every_bot_and_scenario(ledger):
    text = longroll("report", ledger)
    for word in NAMES + ["cedar-mountain/duel", "cedar-mountain/gate", "Faults: none", "Common dice", "240 of 240 games"]:
        assert word in text
    assert "random = 0" in longroll("report", ledger, "--anchor", "random")


def test_csv_has_a_row_for_each_bot_and_each_game(ledger, rows):
    ratings = list(csv.DictReader(io.StringIO(longroll("report", ledger, "--format", "csv"))))
    games = list(csv.DictReader(io.StringIO(longroll("report", ledger, "--format", "games"))))
    assert sorted(row["bot"] for row in ratings) == sorted(NAMES)
    assert all(float(row["score"]) == pytest.approx(points(rows, NAMES.index(row["bot"]))[0] / 160, abs=1e-4)
               for row in ratings)
    assert [int(game["game"]) for game in games] == [row[0] for row in rows]
    assert [WINNERS.get(game["winner"], DRAWN) for game in games] == [row[4] for row in rows]
    assert [NAMES.index(game["union"]) for game in games] == [row[2] for row in rows]


def test_pgn_has_the_seven_tags_and_the_result_of_each_game(ledger, rows):
    results = {0: "1-0", 1: "0-1", DRAWN: "1/2-1/2"}
    games = longroll("report", ledger, "--format", "pgn").strip().split("\n\n")
    assert len(games) == 2 * len(rows)
    for row, tags, moves in zip(rows, games[::2], games[1::2]):
        lines = [re.fullmatch(r'\[(\w+) "((?:[^"\\]|\\.)*)"\]', line).groups() for line in tags.split("\n")]
        tag = {name: re.sub(r"\\(.)", r"\1", value) for name, value in lines}
        assert [name for name, _ in lines[:7]] == ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
        assert tag["Event"] == 'The "A" league'
        assert (tag["White"], tag["Black"]) == (NAMES[row[2]], NAMES[row[3]])
        assert tag["Result"] == moves == results[row[4]]
        assert tag["Termination"] == "normal"


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.fetched, self.text = [], [], ""

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.fetched += [value for name, value in attributes if name in ("src", "href", "srcset", "data", "action")]

    def handle_data(self, data):
        self.text += data


def test_the_page_stands_alone_and_escapes_names(ledger, tmp_path):
    path = tmp_path / "page.html"
    assert longroll("report", ledger, "--format", "html", "--out", path) == ""
    text = path.read_text()
    page = Page()
    page.feed(text)
    assert page.fetched == [] and "script" not in page.tags and "link" not in page.tags
    assert "http" not in text and "@import" not in text and "url(" not in text
    assert NAMES[2] in page.text and NAMES[2] not in text
    plots = re.findall(r"<svg.*?</svg>", text, re.S)
    assert len(plots) == 3
    drawn = [xml.fromstring(plot) for plot in plots]
    assert len(drawn[0].findall("circle")) == 3
    assert len(drawn[2].findall("path")) == 3
    assert "nan" not in text.replace("Cancel", "").lower().split("<body>")[1]


def test_an_sprt_is_reported_with_its_bounds(tmp_path):
    path = tmp_path / "sprt.db"
    longroll("tournament", "--bots", "greedy,random", "--scenario", "cedar-mountain/duel", "--format", "sprt", "--elo0", 0,
             "--elo1", 100, "--cap", 500, "--out", path, "--quiet")
    sprt = json.loads(longroll("report", path, "--json"))["sprt"]
    assert sprt["end"] == "H1" and sprt["ratio"] >= sprt["upper"] == pytest.approx(2.944, abs=1e-3)
    assert "SPRT: H1 after" in longroll("report", path)
    plot = re.search(r"<svg[^>]*Log likelihood.*?</svg>", longroll("report", path, "--format", "html"), re.S).group()
    assert [text.text for text in xml.fromstring(plot).findall("text")][-2:] == ["H0", "H1"]


def test_what_is_asked_wrongly_is_said_in_one_line(ledger, tmp_path):
    for arguments, word in [
        (["report"], "needs a LEDGER"),
        (["report", tmp_path / "nothing.db"], "nothing.db"),
        (["report", ledger, "--format", "xml"], "text, json, csv, games, html or pgn"),
        (["report", ledger, "--anchor", "napoleon"], "greedy, random"),
        (["ladder", tmp_path / "nothing.db"], "nothing.db"),
        (["rate"], "needs a BOT"),
    ]:
        said = longroll(*arguments, code=2)
        assert word in said and said.count("\n") == 1


# ---- The ladder ----


@pytest.fixture(scope="module")
def ladder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ladder")
    subprocess.run([ROOT / "agents" / "ladder.sh", "--pairs", "40", "--bots", "random greedy", "--scenarios",
                    "cedar-mountain/duel cedar-mountain/gate", "--ledger", folder / "ladder.db", "--out", folder],
                   check=True, capture_output=True, timeout=60)
    return folder


def test_the_ladder_is_a_page_and_a_file_of_the_same_ratings(ladder):
    page = (ladder / "LADDER.md").read_text()
    data = (ladder / "ladder.yaml").read_text()
    report = json.loads(longroll("report", ladder / "ladder.db", "--json"))
    random = next(bot["elo"] for bot in report["bots"] if bot["name"] == "random")
    assert f"elo: [{random['value']:.1f}, {random['low']:.1f}, {random['high']:.1f}]" in data
    assert f"| random | {random['value']:+.0f} ({random['low']:+.0f} to {random['high']:+.0f}) |" in page
    for scenario in report["scenarios"]:
        assert f"## {scenario['name']}\n\nHash {scenario['hash']}" in page
        assert f'hash: "{scenario["hash"]}"' in data


def test_a_bot_of_the_ladder_is_rated_as_itself(ladder):
    rated = json.loads(longroll("rate", "greedy", "--ladder", ladder / "ladder.yaml", "--games", 120, "--json", "--quiet"))
    again = json.loads(longroll("rate", "greedy", "--ladder", ladder / "ladder.yaml", "--games", 120, "--json", "--quiet",
                                "--workers", 1))
    assert rated == again
    assert 100 <= rated["games"] <= 120
    greedy = next(bot for bot in rated["opponents"] if bot["name"] == "greedy")
    assert greedy["score"] == 0.5  # equal bots on common dice
    assert rated["elo"]["low"] < greedy["elo"]["value"] < rated["elo"]["high"]
    assert sum(bot["games"] for bot in rated["opponents"]) == rated["games"]


def test_games_of_a_rating_are_kept_where_asked(ladder, tmp_path):
    longroll("rate", "random", "--ladder", ladder / "ladder.yaml", "--scenario", "cedar-mountain/duel", "--games", 16,
             "--keep", tmp_path / "kept", "--quiet")
    parts = [json.loads(longroll("report", tmp_path / "kept" / f"part-{part}.db", "--json")) for part in (1, 2)]
    assert [s["name"] for s in parts[0]["scenarios"]] == ["cedar-mountain/duel"]
    assert sum(part["games"] for part in parts) == 16


@pytest.mark.parametrize("change, word", [
    (("version: 1", "version: 999"), "brigade version 999"),
    (('hash: "', 'hash: "0'), "16 hex digits"),
    (("tally: [", "tally: [1, "), "tally"),
    (("first: 0", "first: 1"), "pairings[0]"),
    (('anchor: "greedy"', 'anchor: "nobody"'), "anchor"),
])
def test_a_ladder_that_does_not_hold_is_refused(ladder, tmp_path, change, word):
    text = (ladder / "ladder.yaml").read_text()
    assert change[0] in text
    (tmp_path / "ladder.yaml").write_text(text.replace(*change))
    assert word in longroll("rate", "greedy", "--ladder", tmp_path / "ladder.yaml", "--games", 16, "--quiet", code=1)


def test_a_ladder_of_another_scenario_text_is_void(ladder, tmp_path):
    text = (ladder / "ladder.yaml").read_text()
    other = re.sub(r'hash: "(.)', lambda found: 'hash: "' + ("1" if found[1] != "1" else "2"), text)
    (tmp_path / "ladder.yaml").write_text(other)
    said = longroll("rate", "greedy", "--ladder", tmp_path / "ladder.yaml", "--games", 16, "--quiet", code=1)
    assert "void" in said and "cedar-mountain/duel" in said
