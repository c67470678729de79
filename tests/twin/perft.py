"""Counts every way on from a position with the twin, and compares with the published tables (tests/perft/tables.csv).

    python3 perft.py [--limit POSITIONS] [NAME ...]

NAME is as in the tables: a scenario, or a state file beside them; by default all. A row is compared if it has at most
`--limit` positions (default 400: the twin plays some thousand actions a second). What the columns mean is told in
env/perft.h.
"""

import argparse
import csv
import sys
import time
from fractions import Fraction
from pathlib import Path

import yaml

from brigade import CHANCE, CONFEDERATE, ELIMINATED, NOBODY, RESERVE, UNION, Game, other

TABLES = Path(__file__).resolve().parents[1] / "perft"
SEGMENTS = ("artillery", "defence", "offence")
ORDER = ("artillery", "movement", "defence", "offence", "rally")


# --- State files (scenarios/STATEFILES.md), as far as the tables use them: between two actions of a phase ---

class Reader:
    """Puts what a state file says into a twin's state."""

    def __init__(self, path):
        document = yaml.safe_load(Path(path).read_text())
        self.said = document["state"]
        self.game = Game(document["scenario"])
        self.state = self.game.start()
        by_slug = {p.slug: row for row, p in self.game.pieces.items()}
        self.row = lambda name: self.game.row.get(name, by_slug.get(name))

    def read(self):
        said, s = self.said, self.state
        assert said.get("stage", "none") == "none" and "subject" not in said, "in the middle of something"
        s.agenda, s.question, s.attack = [], None, None
        s.turn, s.side = said["turn"], said.get("half", self.game.first_player)
        s.vp, s.stars = said.get("vp", 0), said.get("stars", 0)
        for arrival in said.get("arrival", []):
            s.due[arrival["group"]] = arrival["turn"]
        self.read_pieces()
        self.read_markers()
        self.read_command_and_contact()
        s.enter_phase(said.get("phase", "movement"))
        for thrown in said.get("casualty_dice", []):
            s.dice["casualty", self.row(thrown["leader"])] = thrown["thrown"]
        s.then(*self.agenda())
        s.run()
        return s

    def marked(self, word):
        return {self.row(p["piece"]) for p in self.said.get("pieces", []) if word in p.get("is", [])}

    def read_pieces(self):
        said, s = self.said, self.state
        reserve, named = {self.row(n) for n in said.get("reserve", [])}, {}
        for p in said.get("pieces", []):
            named[self.row(p["piece"])] = p
        for row, piece in self.game.pieces.items():
            about, group = named.get(row), s.group_of(row)
            waits = row in reserve or (about and "hex" not in about and about.get("strength", 1) > 0)
            if not about and group and row not in self.gone():
                waits = waits or s.due[group.name] is None or s.due[group.name] > s.turn
            if about and "hex" in about:
                s.place[row] = about["hex"]
            elif row in self.game.setup_units or row in self.game.setup_leaders or group:
                s.place[row] = RESERVE if waits else ELIMINATED
            else:
                s.place[row] = None                              # not in this scenario
            if piece.combat:
                full = piece.strength if waits or about else 0
                s.strength[row] = full if waits or not about else about.get("strength", full)
            if piece.type == "artillery":
                s.form[row] = "unlimbered" if row in self.marked("unlimbered") else "limbered"
            elif piece.type == "cavalry":
                s.form[row] = "dismounted" if row in self.marked("dismounted") else "mounted"
        s.routed, s.fired, s.done = self.marked("routed"), self.marked("fired"), self.marked("active")
        s.replaced = self.marked("replacement") | {r for r, p in named.items()
                                                   if not self.game.pieces[r].combat and p.get("strength") == 1}

    def gone(self):
        return {self.row(n) for n in self.said.get("eliminated", [])}

    def read_markers(self):
        s = self.state
        s.markers = set()
        for side in (UNION, CONFEDERATE):
            stated = self.said.get(f"{side}_markers")
            for k, leader in enumerate(self.game.markers[side], 1):
                fit = s.place[leader] not in (None, ELIMINATED) and leader not in s.replaced
                if k in stated["left"] if stated else fit:
                    s.markers.add(leader)

    def read_command_and_contact(self):
        said, s = self.said, self.state
        if said.get("command") == "stated":
            s.in_command = set()
        else:
            s.agenda = [None]
            s.do_command(None)
        s.in_command |= self.marked("in-command")
        if said.get("contact") == "stated":
            s.at_contact = set()
        else:
            s.begin_night()
        s.at_contact |= self.marked("in-contact")

    def agenda(self):
        """What is still to come, as the twin's own half-turn has it."""
        s, game = self.state, self.game
        frames = []
        for phase in ORDER[ORDER.index(s.phase):]:
            if phase == s.phase and phase in SEGMENTS:
                frames.append(self.segment())
            elif phase in SEGMENTS:
                frames.append({"do": "segment", "phase": phase})
            else:
                frames.append({"do": phase})
        frames.append({"do": "half_end"})
        if s.side == game.first_player:
            frames.append({"do": "half", "side": other(game.first_player)})
        return [*frames, {"do": "turn_end"}, {"do": "turn", "turn": s.turn + 1}]

    def segment(self):
        s = self.state
        side = other(s.side) if s.phase == "defence" else s.side
        engaged = self.marked("engaged")
        combat = {r for r in engaged if self.game.pieces[r].combat}
        return {"do": "target", "side": side, "spent": sorted(r for r in combat if s.side_of(r) == side),
                "units": sorted(r for r in combat if s.side_of(r) != side),
                "cells": sorted({s.place[r] for r in engaged - combat if s.side_of(r) != side})}


def open_position(name):
    """A scenario's first state, or a state file's."""
    return Reader(TABLES / name).read() if name.endswith(".yaml") else Game(name).start()


# --- Counting ---

def count(state, depth, rows, mass=Fraction(1)):
    row = rows[0]
    row["positions"] += 1
    row["mass"] += mass
    row[{CHANCE: "dice", NOBODY: "over"}.get(state.to_move, "decisions")] += 1
    if depth == 0:
        return
    legal = state.legal()
    if state.to_move == CHANCE:
        mass /= len(legal)
    for action, _ in legal:
        count(state.clone().apply(action), depth - 1, rows[1:], mass)


def perft(state, depth):
    rows = [dict(positions=0, decisions=0, dice=0, over=0, mass=Fraction(0)) for _ in range(depth + 1)]
    count(state, depth, rows)
    return rows


def read_tables():
    """{name: rows by depth}, numbers exact."""
    tables = {}
    with open(TABLES / "tables.csv", newline="") as file:
        for line in csv.DictReader(file):
            row = {key: int(line[key]) for key in ("positions", "decisions", "dice", "over")}
            tables.setdefault(line["name"], []).append(row | {"mass": Fraction(line["mass"])})
    return tables


def compare(name, published, limit):
    """(depth, positions counted, difference or None)."""
    depth = max(d for d, row in enumerate(published) if row["positions"] <= limit)
    ours = perft(open_position(name), depth)
    for d, row in enumerate(ours):
        if row != published[d]:
            return depth, row["positions"], f"{name}, depth {d}: the twin {row}, published {published[d]}"
    return depth, sum(row["positions"] for row in ours), None


def main():
    ask = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ask.add_argument("names", nargs="*", metavar="NAME")
    ask.add_argument("--limit", type=int, default=400, help="most positions in a row that is compared")
    options = ask.parse_args()
    tables, started, counted, differences = read_tables(), time.monotonic(), 0, 0
    for name in options.names or tables:
        depth, positions, difference = compare(name, tables[name], options.limit)
        counted += positions
        differences += difference is not None
        print(difference or f"{name}: agreed to depth {depth}, {positions} positions", flush=True)
    print(f"{len(options.names or tables)} tables, {counted} positions, {differences} differences, "
          f"{time.monotonic() - started:.0f} s")
    sys.exit(differences > 0)


if __name__ == "__main__":
    main()
