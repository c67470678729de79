"""The twin of the brigade ruleset: slow, obvious, independent.

It is written from the rulebook (R), the rulings and the decision table alone, and exists to disagree with the engine.
References: `R 8.4` is the rulebook, `ruling 16` the rulings, `decisions 12` the numbered details of the decision table.

How it runs: what is still to be done is a stack of small frames (`agenda`), the next one on top. `run` looks at the top
frame: its `do_...` method either does its work, or returns a Question. A question with one answer is answered at once;
any other waits for `apply`, which hands the answer to the frame's `on_...` method. Everything is plain data, so that a
state can be cloned.

Movement points are kept in half points (ruling 16). Hexes are strings "CCRR". Pieces are their rows.

OPEN READINGS (where the texts leave a point open; the choice made here)
 1. Sight, the friend in the way (ruling 28): only combat units block, routed ones included; leaders do not. "Symmetric"
    is read of the ground only, since a friend next to the target blocks one way.
 2. Sight along a hexside (ruling 28): a side blocks for any reason of its own (woods on one side and a friend or higher
    ground on the other do block together).
 3. Line of command (R 6.2): "occupied by an enemy unit" means a combat unit; an enemy leader alone bars nothing.
 4. Leader set-up: he may not be set up in a hex with an enemy piece, nor alone in an enemy zone (ruling 6 read as a
    standing condition). Cannot happen with the shipped scenarios.
 5. Leader casualty while his unit lives: "the nearest friendly unit" (R 6.4, ruling 43) is the unit he is with, at
    distance 0; he stays. He also stays when missed.
 6. A leader removed for want of any friendly unit (ruling 43) takes his Destiny marker with him (R 14.1.5).
 7. Retreat: the leaders who go along (ruling 43) are those in the start hex, all of them, of whatever command; a friendly
    leader standing alone in a hex passed on the way stays. If the unit dies on the way only its companions roll.
    A rout after a retreat takes all leaders then in the hex.
 8. The dice of leaders whose unit dies in the retreat or rout: a leader who already rolled in this attack does not roll
    again but is displaced, in his turn of row order (decisions 12).
 9. Routed target (ruling 39): `nR` makes it go 3 hexes, not 2 and 3.
10. Ruling 32: on a hit the leader alone is flipped (or removed) and displaced; his die is the firer's (the firer's
    Destiny may re-roll it), unmodified, one FIRE event for each leader.
11. Ruling 46, casualty: "the unit he is with" is the attacked unit while it lives. The named leader must be on the map.
    Where a leader himself is the subject, his own hex, like a unit's, is never barred by a zone.
12. REROLL is offered even where no face could change the result.
13. Artillery-only turn (ruling 47): no Command Phase, so nobody has a command status; Fired goes at the half-turn's end.
14. Entry (ruling 22): cost of a road hex, no water, no level; column halves it if the hex entered is more than 4 hexes
    from every enemy combat unit (there is no hex left). The same for a substitute edge hex.
15. Entry: zones and enemy combat units close the hex to leaders too, even if a friend stands in it. "Edge hex": first or
    last column or row, not prohibited; nearest by plain distance from the entry hex; all at the least distance offered.
    A leader's substitute hex must hold no enemy leader either.
16. Entry of a combat unit into a friend's hex that holds or touches a lone enemy leader's hex: not offered (decisions 2:
    a friend's hex is no way past a lone leader).
17. `latest` (ruling 23): if a held piece finds no room on its latest turn, the same holds on every later turn.
18. Cavalry ENTER: first the verbs (only those with which it can come in), then, if more than one, the cells.
19. Routed move (ruling 21): its hex must be free of other combat units; a lone enemy leader there is displaced; the
    zone exit cost is ignored with the terrain. The limits on re-entering zones cannot matter.
20. A frozen leader can do nothing before the turn. Frozen guns change formation as often as their MP allow.
21. Advance (ruling 40): only after offensive fire; the firer of an attack on a leader alone likewise. Rulings 4's bar
    (zones started in) does not touch advances.
22. Ruling 36 "nearer the retreat hex" and all nearness: plain hex distance, ignoring terrain.
23. Ruling 36, Ewell's division: RETREAT-TO is asked before every retreat, rout and further flight (ruling 39), even where
    it does not matter; not before an elimination by the extra loss.
24. `*` in the combat chart is not read: the leader check follows from a natural 10 or a modified 10 or more (ruling 30),
    even on a `-`.
25. Ricketts's die is rolled on turn 9 though it cannot fail (ruling 53), keyed to the first player's side.
26. A lone leader hit and flipped takes no notice of "one die a leader an attack"; there is one die each anyway.
27. A target is marked as fired on (decisions 11), and a gun as Fired (ruling 11), when the die is about to be rolled (`fire`),
    not when it is named or joined.
28. Set-up: guns show limbered, cavalry mounted, until chosen; leaders are in reserve until placed. (to_dict only.)
"""

from __future__ import annotations

import copy
import heapq
import re
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import yaml

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"

UNION, CONFEDERATE, CHANCE, NOBODY = "union", "confederate", "chance", "nobody"
RESERVE, ELIMINATED = "reserve", "eliminated"

CELL = 64
VERBS = ["end fire", "fire", "keep", "reroll 1", "reroll 2", "stay", "end movement", "limber", "unlimber", "mount",
         "dismount", "done", "limbered", "unlimbered", "mounted", "dismounted"]
VERB = {text: 576 + number for number, text in enumerate(VERBS)}


def other(side):
    return CONFEDERATE if side == UNION else UNION


def slug(name):
    """decisions: piece names in texts are lower case with hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


# =====================================================================================================================
# R 3: components. The game: map, pieces, charts, scenario; never changes.
# =====================================================================================================================

@dataclass(frozen=True)
class Piece:
    row: int
    name: str
    slug: str
    side: str
    type: str                  # infantry, cavalry, artillery, leader (R 3.3.1)
    division: str
    superior: str
    strength: int
    back: int
    morale: str
    independent: bool          # R 3.3.3

    @property
    def combat(self):
        return self.type != "leader"     # R 2.1, 2.7


@dataclass
class Group:
    """Reinforcements that come together (R 8.5, 14.2, 14.3, 14.4)."""
    name: str
    side: str
    pieces: list
    entry: str
    turn: int | None
    latest: int | None
    die: dict | None
    every: dict | None


class Game:
    def __init__(self, path_or_name, text=None):
        """`text`: the scenario itself, for a battle like random:4:7 whose name is no file's. It carries its own map and
        units and uses the charts of Cedar Mountain."""
        path = Path(path_or_name)
        if not path.is_file():
            path = SCENARIOS / (str(path_or_name) + ".yaml")
        folder = SCENARIOS / "cedar-mountain" if text else path.parent
        self.scenario = yaml.safe_load(text or path.read_text())
        read = lambda key: self.scenario.get("own_" + key) or yaml.safe_load((folder / self.scenario[key]).read_text())
        self.read_map(read("map"))
        self.read_charts(read("charts"))
        self.read_pieces(read("units"))
        self.read_scenario(self.scenario)
        self.sight_lines = {}

    # --- R 3.1: the map ---

    def read_map(self, data):
        self.columns, self.rows = data["columns"], data["rows"]
        self.hexes = [f"{c:02d}{r:02d}" for r in range(1, self.rows + 1) for c in range(1, self.columns + 1)]
        on_map = set(self.hexes)
        self.letter, self.level = {}, {}
        for h in self.hexes:
            c, r = int(h[:2]), int(h[2:])
            self.letter[h] = data["terrain"]["grid"][r - 1][c - 1]
            self.level[h] = int(data["elevation"]["grid"][r - 1][c - 1])
        self.neighbours = {h: [n for n in self.around(h) if n in on_map] for h in self.hexes}
        self.edge = {h for h in self.hexes if int(h[:2]) in (1, self.columns) or int(h[2:]) in (1, self.rows)}
        self.roads = set()
        for road in data["roads"]["list"]:
            for a, b in zip(road["path"], road["path"][1:]):
                assert b in self.neighbours[a], (road["id"], a, b)
                self.roads.add(frozenset((a, b)))
        self.water = {}
        for water in data["water"]["list"]:
            for a, b in water["sides"]:
                assert b in self.neighbours[a], (water["id"], a, b)
                self.water[frozenset((a, b))] = water["kind"]
        self.distances, self.discs = {}, {}

    @staticmethod
    def around(h):
        """Flat-top hexes, even columns half a hex lower (map.yaml; rulings, section 2, layout A)."""
        c, r = int(h[:2]), int(h[2:])
        if c % 2:
            near = [(c, r - 1), (c, r + 1), (c - 1, r - 1), (c - 1, r), (c + 1, r - 1), (c + 1, r)]
        else:
            near = [(c, r - 1), (c, r + 1), (c - 1, r), (c - 1, r + 1), (c + 1, r), (c + 1, r + 1)]
        return [f"{a:02d}{b:02d}" for a, b in near if 0 <= a <= 99 and 0 <= b <= 99]

    def cell(self, h):
        """The action id of a hex; there is one padding column."""
        return CELL + (int(h[2:]) - 1) * (self.columns + 1) + int(h[:2]) - 1

    def hex_of(self, action):
        r, c = divmod(action - CELL, self.columns + 1)
        return f"{c + 1:02d}{r + 1:02d}"

    def distance(self, a, b):
        """In hexes: 0 on the spot, 1 next door."""
        if (a, b) not in self.distances:
            ax, az = self.slanted(a)
            bx, bz = self.slanted(b)
            dx, dz = ax - bx, az - bz
            self.distances[a, b] = max(abs(dx), abs(dz), abs(dx + dz))
        return self.distances[a, b]

    def disc(self, h, radius):
        if (h, radius) not in self.discs:
            self.discs[h, radius] = {n for n in self.hexes if self.distance(n, h) <= radius}
        return self.discs[h, radius]

    @staticmethod
    def slanted(h):
        x, r = int(h[:2]) - 1, int(h[2:]) - 1
        return x, r - (x - x % 2) // 2

    # --- R 3.2: the player aid ---

    def read_charts(self, data):
        self.charts = data
        self.terrain = {kind["letter"]: kind for kind in data["terrain"]["list"]}
        self.water_cost = {kind["name"]: kind for kind in data["water"]["list"]}
        self.prohibited = {h for h in self.hexes if self.terrain[self.letter[h]]["prohibited"]}   # ruling 1

    def ground(self, h):
        return self.terrain[self.letter[h]]

    # --- R 3.3: the units ---

    def read_pieces(self, data):
        self.pieces = {}
        following = {UNION: 0, CONFEDERATE: 32}
        for d in data["pieces"]:
            row = following[d["side"]]
            following[d["side"]] += 1
            self.pieces[row] = Piece(row, d["name"], slug(d["name"]), d["side"], d["type"], d["division"], d["superior"],
                                     d.get("strength", 0), d.get("back", 0), d.get("morale", ""), d.get("independent", False))
        self.row = {p.name: p.row for p in self.pieces.values()}

    def commands(self, leader, row):
        """Is this piece of the leader's command, by organisation (rulings 9, 46; decisions 13)? A leader is of his own."""
        boss, p = self.pieces[leader], self.pieces[row]
        if boss.side != p.side:
            return False
        if p.type == "leader":
            return row == leader or p.superior == boss.name
        return p.division == boss.division or p.superior == boss.name

    # --- R 12, 14: the scenario ---

    def read_scenario(self, s):
        turns = s["turns"]
        self.first, self.last = turns["first"], turns["last"]
        self.first_player = turns["first_player"]
        self.night_turns = set(turns.get("night", []))
        self.artillery_only = set(turns.get("artillery_only", []))
        setup = s.get("setup") or {}
        self.setup_units = {self.row[u["piece"]]: u["hex"] for u in setup.get("units", [])}
        self.setup_leaders = {self.row[u["piece"]]: [self.row[n] for n in u["with"]] if "with" in u else None
                              for u in setup.get("leaders", [])}
        self.groups = []
        for g in (s.get("reinforcements") or {}).get("groups", []):
            rows = [self.row[n] for n in g["pieces"]]
            self.groups.append(Group(g["name"], self.pieces[rows[0]].side, rows, g["entry"], g.get("turn"), g.get("latest"),
                                     g.get("die"), g.get("every")))
        frozen = s.get("frozen") or {}
        self.frozen_before = frozen.get("before", 0)
        self.frozen_rows = {self.row[n] for n in frozen.get("pieces", [])}
        self.slow = s.get("slow")
        self.retreat_hexes = s["retreat"]["hexes"]
        self.markers = {side: [self.row[n] for n in s["destiny"]["markers"] if self.pieces[self.row[n]].side == side]
                        for side in (UNION, CONFEDERATE)}
        self.victory = s["victory"]

    # --- R 9.4, ruling 28: the ground along a line of sight ---

    @staticmethod
    def centre(h):
        """In a skewed scale in which the hexagon has the corners (2,0) (1,1) (-1,1) (-2,0) (-1,-1) (1,-1)."""
        c, r = int(h[:2]), int(h[2:])
        return 3 * c, 2 * r + (1 if c % 2 == 0 else 0)

    def sight_line(self, a, b):
        """Hexes strictly between that the line cuts, and the groups of one or two hexes along whose side it runs."""
        if (a, b) in self.sight_lines:
            return self.sight_lines[a, b]
        (ax, ay), (bx, by) = self.centre(a), self.centre(b)
        cut, along = [], {}
        for h in self.hexes:
            if h in (a, b) or self.distance(a, h) + self.distance(h, b) > self.distance(a, b) + 2:
                continue                                    # the ends, and hexes far from the line
            hx, hy = self.centre(h)
            x, y, dx, dy = ax - hx, ay - hy, bx - ax, by - ay
            start, end, on_side, missed = Fraction(0), Fraction(1), False, False
            for value, slope, limit in ((y, dy, 1), (x + y, dx + dy, 2), (x - y, dx - dy, 2)):
                if slope == 0:                              # the line runs parallel to this pair of sides
                    missed |= abs(value) > limit
                    on_side |= abs(value) == limit
                else:
                    t = sorted((Fraction(-limit - value, slope), Fraction(limit - value, slope)))
                    start, end = max(start, t[0]), min(end, t[1])
            if missed or start >= end:                      # missed, or a corner only
                continue
            if on_side:
                along.setdefault((start, end), []).append(h)
            else:
                cut.append(h)
        self.sight_lines[a, b] = cut, list(along.values())
        return self.sight_lines[a, b]

    def start(self):
        return State(self)


# =====================================================================================================================
# Questions: decisions and chance nodes
# =====================================================================================================================

@dataclass
class Question:
    decision: str
    who: str
    options: dict = field(default_factory=dict)      # action id -> text


ROLLS = {face - 1: f"roll {face}" for face in range(1, 11)}


@dataclass
class Lie:
    """How things lie for one side at this moment."""
    friends: dict          # hex -> friendly combat unit
    enemies: dict          # hex -> enemy combat unit
    enemy_leaders: set     # hexes with an enemy leader
    zone: set              # hexes in an enemy zone of control
    near: set              # hexes within column distance of an enemy combat unit
    lone: set              # hexes that hold or touch an enemy leader alone


class State:
    def __init__(self, game):
        self.game = game
        self.turn = game.first
        self.side = game.first_player
        self.phase = "setup"
        self.vp = 0                                # net, for the Union (ruling 49)
        self.stars = 0                             # gross, Union (ruling 52)
        self.result = None
        self.place = {row: None for row in game.pieces}
        self.strength = {row: p.strength for row, p in game.pieces.items() if p.combat}
        self.form = {row: {"artillery": "limbered", "cavalry": "mounted"}[p.type] for row, p in game.pieces.items()
                     if p.type in ("artillery", "cavalry")}
        self.routed = set()
        self.replaced = set()                      # leaders on their Replacement side
        self.fired = set()                         # Fired markers (ruling 11)
        self.in_command = set()
        self.done = set()                          # pieces that had their move in this phase
        self.at_contact = set()                    # night: units next to an enemy when the turn began (ruling 48)
        self.markers = {row for rows in game.markers.values() for row in rows}
        self.due = {g.name: g.turn for g in game.groups}
        self.dice = {}                             # (kind, subject) -> dice rolled so far in this phase
        self.attack = None                         # the attack under way
        self.agenda = []
        self.question = None
        for row, h in game.setup_units.items():
            self.place[row] = h
        for row in game.setup_leaders:
            self.place[row] = RESERVE
        for g in game.groups:
            for row in g.pieces:
                self.place[row] = RESERVE
        self.then(*self.setup_frames(), {"do": "turn", "turn": game.first})
        self.run()

    # --- the outside ---

    @property
    def to_move(self):
        return self.question.who if self.question else NOBODY

    @property
    def decision(self):
        return self.question.decision if self.question else "over"

    def legal(self):
        return sorted(self.question.options.items()) if self.question else []

    def apply(self, action):
        if not self.question or action not in self.question.options:
            raise ValueError(f"{action} is not among the {len(self.legal())} legal actions")
        self.answer(action)
        self.run()
        return self

    def event(self):
        """At a chance node: (turn, side, phase, kind, subject row, occurrence) (decisions 9)."""
        if self.to_move != CHANCE:
            return None
        frame = self.agenda[-1]
        key = frame["kind"], frame["subject"]
        return self.turn, self.side, self.phase, *key, self.dice.get(key, 0)

    def clone(self):
        twin = copy.copy(self)
        for name in ("place", "strength", "form", "routed", "replaced", "fired", "in_command", "done", "at_contact", "markers",
                     "due", "dice"):
            setattr(twin, name, copy.copy(getattr(self, name)))
        twin.attack = copy.deepcopy(self.attack)
        twin.agenda = copy.deepcopy(self.agenda)
        return twin

    # --- the agenda ---

    def then(self, *frames):
        """These next, in this order, before whatever else is on the agenda."""
        self.agenda.extend(reversed(frames))

    def run(self):
        """decisions 5: on through everything that is not a choice."""
        self.question = None
        while self.agenda:
            question = getattr(self, "do_" + self.agenda[-1]["do"])(self.agenda[-1])
            if question is None:
                continue
            assert question.options, (question, self.agenda[-1])
            self.question = question
            if question.who == CHANCE or len(question.options) > 1:
                return
            self.answer(next(iter(question.options)))        # decisions: one legal action is passed over
            self.question = None

    def answer(self, action):
        frame = self.agenda[-1]
        getattr(self, "on_" + frame["do"])(frame, action)

    def enter_phase(self, phase):
        self.phase = phase
        self.dice = {}

    # --- little helpers for options ---

    def cells(self, verb, hexes):
        return {self.game.cell(h): f"{verb} {h}" for h in hexes}

    def rows(self, verb, rows):
        return {row: f"{verb} {self.game.pieces[row].slug}" for row in rows}

    @staticmethod
    def verbs(*texts):
        return {VERB[text]: text for text in texts}

    # =================================================================================================================
    # R 2: key concepts
    # =================================================================================================================

    def on_map(self, row):
        return self.place[row] not in (None, RESERVE, ELIMINATED)

    def units(self, side):
        """Combat units on the map, row order."""
        return [r for r, p in self.game.pieces.items() if p.side == side and p.combat and self.on_map(r)]

    def leaders(self, side):
        return [r for r, p in self.game.pieces.items() if p.side == side and not p.combat and self.on_map(r)]

    def side_of(self, row):
        return self.game.pieces[row].side

    def type_of(self, row):
        return self.game.pieces[row].type

    def units_at(self, side, h):
        return [r for r in self.units(side) if self.place[r] == h]

    def leaders_at(self, side, h):
        return [r for r in self.leaders(side) if self.place[r] == h]

    def zones(self, side):
        """R 2.2, rulings 1 and 3: hexes in a zone of control of this side."""
        return {n for r in self.units(side) if r not in self.routed
                for n in self.game.neighbours[self.place[r]] if n not in self.game.prohibited}

    def lone_leaders(self, side):
        """Leaders without a combat unit of their side in the hex."""
        held = {self.place[r] for r in self.units(side)}
        return [r for r in self.leaders(side) if self.place[r] not in held]

    def shattered(self, row):
        """R 2.4, 3.3.2: infantry and cavalry at or below the strength of their back side."""
        p = self.game.pieces[row]
        return p.type in ("infantry", "cavalry") and self.strength[row] <= p.back

    def lie(self, side, without=None):
        game, enemy = self.game, other(side)
        friends = {self.place[r]: r for r in self.units(side) if r != without}
        enemies = {self.place[r]: r for r in self.units(enemy)}
        far = game.charts["movement"]["column_distance"]
        near = set().union(*(game.disc(e, far) for e in enemies))
        lone = set()
        for leader in self.lone_leaders(enemy):
            h = self.place[leader]
            lone |= {h, *game.neighbours[h]}
        return Lie(friends, enemies, {self.place[r] for r in self.leaders(enemy)}, self.zones(enemy), near, lone)

    def lose(self, row, points):
        """R 2.3, 13, rulings 49 and 51: strength lost, a victory point each; at 0 the unit is gone."""
        points = min(points, self.strength[row])
        self.strength[row] -= points
        self.vp += points if self.side_of(row) == CONFEDERATE else -points
        if self.strength[row] == 0:
            self.place[row] = ELIMINATED
            self.routed.discard(row)
            self.fired.discard(row)
            self.in_command.discard(row)

    def alive(self, row):
        return self.place[row] != ELIMINATED

    # =================================================================================================================
    # R 4, 14.1.2: set-up (rulings 45 and 54)
    # =================================================================================================================

    def setup_frames(self):
        frames = []
        for side in (UNION, CONFEDERATE):
            for row in sorted(self.game.setup_units):
                if self.side_of(row) == side and row in self.form:
                    frames.append({"do": "formation", "piece": row})
            for row in sorted(self.game.setup_leaders):
                if self.side_of(row) == side:
                    frames.append({"do": "leader", "piece": row})
        return frames

    def do_formation(self, frame):
        row = frame["piece"]
        self.side = self.side_of(row)
        names = ("limbered", "unlimbered") if self.type_of(row) == "artillery" else ("mounted", "dismounted")
        return Question("formation", self.side, self.verbs(*names))

    def on_formation(self, frame, action):
        self.form[frame["piece"]] = VERBS[action - 576]
        self.agenda.pop()

    def do_leader(self, frame):
        row, game = frame["piece"], self.game
        self.side = self.side_of(row)
        lie = self.lie(self.side)
        hosts = game.setup_leaders[row]                               # ruling 45: Ewell with one of four
        if hosts is None:
            hosts = [u for u in self.units(self.side) if game.commands(row, u)]
        hexes = {n for u in hosts for n in [self.place[u], *game.neighbours[self.place[u]]]}
        may = [h for h in hexes if h not in game.prohibited and h not in lie.enemies and h not in lie.enemy_leaders
               and (h not in lie.zone or h in lie.friends)]
        return Question("leader", self.side, self.cells("place", may))

    def on_leader(self, frame, action):
        self.place[frame["piece"]] = self.game.hex_of(action)
        self.agenda.pop()

    # =================================================================================================================
    # R 5: sequence of play (rulings 47, 55)
    # =================================================================================================================

    def do_turn(self, frame):
        self.agenda.pop()
        game = self.game
        if frame["turn"] > game.last:
            self.turn = game.last
            self.finish()
            return
        self.turn = frame["turn"]
        self.side = game.first_player
        self.enter_phase("command")
        self.begin_night()
        self.then(*[{"do": "arrival", "group": n} for n, g in enumerate(game.groups) if g.every],
                  {"do": "half", "side": game.first_player},
                  {"do": "half", "side": other(game.first_player)},
                  {"do": "turn_end"},
                  {"do": "turn", "turn": self.turn + 1})

    def do_half(self, frame):
        self.agenda.pop()
        self.side = frame["side"]
        self.enter_phase("command")
        if self.turn in self.game.artillery_only:                     # R 14.2.2, ruling 47
            self.then({"do": "segment", "phase": "artillery"}, {"do": "half_end"})
            return
        self.then(*[{"do": "arrival", "group": n} for n, g in enumerate(self.game.groups)
                    if g.die and g.side == self.side],
                  {"do": "command"},
                  {"do": "segment", "phase": "artillery"},
                  {"do": "movement"},
                  {"do": "segment", "phase": "defence"},
                  {"do": "segment", "phase": "offence"},
                  {"do": "rally"},
                  {"do": "half_end"})

    def do_half_end(self, frame):
        self.agenda.pop()
        self.fired.clear()
        self.in_command.clear()                                       # decisions 16

    def do_turn_end(self, frame):
        self.agenda.pop()
        self.score_stars()
        self.at_contact.clear()

    # --- every die (rulings 46, 56; decisions 9) ---

    def roll(self, kind, subject, owner=None, about=()):
        """A die about `subject`, whose owner may re-roll it by a marker that fits one of the pieces `about`."""
        return {"do": "roll", "kind": kind, "subject": subject, "owner": owner, "about": list(about), "die": None, "again": False}

    def do_roll(self, frame):
        if frame["die"] is None:
            return Question(frame["kind"], CHANCE, dict(ROLLS))
        spendable = [] if frame["again"] or not frame["owner"] else self.fitting_markers(frame["owner"], frame["about"])
        if spendable:
            return Question("reroll", frame["owner"], self.verbs("keep", *[f"reroll {k}" for k in spendable]))
        self.settle(frame)
        return None

    def on_roll(self, frame, action):
        if frame["die"] is None:
            frame["die"] = action + 1
            key = frame["kind"], frame["subject"]
            self.dice[key] = self.dice.get(key, 0) + 1
        elif action == VERB["keep"]:
            self.settle(frame)
        else:
            k = action - VERB["reroll 1"]
            self.markers.discard(self.game.markers[frame["owner"]][k])
            frame["die"], frame["again"] = None, True

    def settle(self, frame):
        self.agenda.pop()
        getattr(self, "after_" + frame["kind"])(frame["subject"], frame["die"])

    # =================================================================================================================
    # R 6: command
    # =================================================================================================================

    def radius(self, leader):
        """R 6.1, ruling 10."""
        chart = self.game.charts["command"]
        return chart["replacement_radius"] if leader in self.replaced else chart["radius"]

    def within_radius(self, leader, h):
        """R 6.2, rulings 8 and 9a: is there a legal line of command from the leader to a piece of his side in this hex?"""
        game, side = self.game, self.side_of(leader)
        lie_friends = {self.place[r] for r in self.units(side)}
        lie_enemies = {self.place[r] for r in self.units(other(side))}
        zone = self.zones(other(side))
        reached = frontier = {self.place[leader]}
        for _ in range(self.radius(leader)):
            if h in reached:
                break
            steps = {n for a in frontier for n in game.neighbours[a]} - reached - game.prohibited - lie_enemies
            frontier = {n for n in steps if n == h or n not in zone or n in lie_friends}
            reached = reached | frontier
        return h in reached

    def do_command(self, frame):
        """R 6: status fixed for the half-turn (ruling 7)."""
        self.agenda.pop()
        self.in_command = set()
        for row in self.units(self.side):
            p = self.game.pieces[row]
            if p.independent:                                         # R 3.3.3
                self.in_command.add(row)
                continue
            for leader in self.leaders(self.side):
                # ruling 9: guns obey any friendly leader, the others their own
                if p.type == "artillery" or self.game.commands(leader, row):
                    if self.within_radius(leader, self.place[row]):
                        self.in_command.add(row)

    # --- R 6.4: leaders hit, leaders displaced ---

    def casualty(self, leader):
        """Ruling 44."""
        self.vp += 1 if self.side_of(leader) == CONFEDERATE else -1
        self.markers.discard(leader)
        if leader in self.replaced:
            self.place[leader] = ELIMINATED
        else:
            self.replaced.add(leader)

    def do_checks(self, frame):
        """Casualty dice of leaders, in row order: die, then displacement, each in turn (decisions 12)."""
        if not frame["leaders"]:
            self.agenda.pop()
            return
        leader = frame["leaders"].pop(0)
        if leader in self.attack["checked"]:                          # one die a leader an attack
            self.then({"do": "displace", "leader": leader})
            return
        self.attack["checked"].append(leader)
        target = self.attack["target"]
        about = ([target] if self.alive(target) else []) + [leader]
        self.then(self.roll("casualty", leader, self.side_of(leader), about))

    def after_casualty(self, leader, die):
        if die >= self.game.charts["morale"]["casualty"]:
            self.casualty(leader)
        if self.on_map(leader):
            self.then({"do": "displace", "leader": leader})

    def do_displace(self, frame):
        """Ruling 43: to the nearest friendly combat unit, which may be in the leader's own hex."""
        leader = frame["leader"]
        side, here = self.side_of(leader), self.place[leader]
        hosts = {self.place[r] for r in self.units(side)}
        if not hosts:
            self.agenda.pop()
            self.place[leader] = ELIMINATED                           # removed, without VP
            self.markers.discard(leader)
            return None
        least = min(self.game.distance(here, h) for h in hosts)
        return Question("displace", side, self.cells("join-unit", [h for h in hosts if self.game.distance(here, h) == least]))

    def on_displace(self, frame, action):
        self.agenda.pop()
        self.place[frame["leader"]] = self.game.hex_of(action)

    def intrude(self, row):
        """R 6.4, ruling 43: a combat unit has entered its hex; enemy leaders alone there or next to it must go."""
        h = self.place[row]
        near = {h, *self.game.neighbours[h]}
        return [{"do": "displace", "leader": leader} for leader in self.lone_leaders(other(self.side_of(row)))
                if self.place[leader] in near]

    # =================================================================================================================
    # R 7, 9.1-9.5: fire. A segment is the Artillery Phase, the defensive or the offensive fire.
    # =================================================================================================================

    def do_segment(self, frame):
        self.agenda.pop()
        self.enter_phase(frame["phase"])
        side = other(self.side) if self.phase == "defence" else self.side
        self.then({"do": "target", "side": side, "spent": [], "units": [], "cells": []})

    def may_fire(self, row):
        """Whether this unit of the firing side can fire at all in this segment."""
        if row in self.routed:                                        # R 9.8.3
            return False
        if self.turn in self.game.night_turns and row not in self.at_contact:
            return False
        kind, form = self.type_of(row), self.form.get(row)
        if self.phase == "artillery":                                 # R 7.1
            return kind == "artillery" and form == "unlimbered"
        if self.phase == "defence":                                   # R 9.2
            return form != "limbered"
        return kind == "infantry" or form == "dismounted"             # R 9.3, ruling 31

    def halves(self, row, h):
        """R 7.2, 9.5: half strengths at this range; 0 if out of range."""
        reach = self.game.distance(self.place[row], h)
        if self.turn in self.game.night_turns and reach > 1:          # R 11
            return 0
        kind = self.type_of(row)
        bands = self.game.charts["fire"][self.form[row] if kind == "cavalry" else kind]
        for band in bands:
            if reach <= band["to"]:
                return band["halves"]
        return 0

    def sees(self, row, h):
        """R 9.4, ruling 28."""
        game, here = self.game, self.place[row]
        if game.distance(here, h) <= 1:
            return True
        top = max(game.level[here], game.level[h])
        friends = {self.place[r] for r in self.units(self.side_of(row))}

        def blocks(x):
            return game.ground(x)["blocks_sight"] or game.level[x] > top or (x in friends and game.distance(x, h) == 1)

        cut, along = game.sight_line(here, h)
        if any(blocks(x) for x in cut):
            return False
        return not any(len(pair) == 2 and all(blocks(x) for x in pair) for pair in along)

    def firers(self, frame, h):
        """Who could fire at this hex now, row order."""
        return [r for r in self.units(frame["side"])
                if r not in frame["spent"] and self.may_fire(r) and self.halves(r, h) and self.sees(r, h)]

    def do_target(self, frame):
        enemy = other(frame["side"])
        hexes = {self.place[r] for r in self.units(enemy) if r not in frame["units"]}
        hexes |= {self.place[r] for r in self.lone_leaders(enemy)} - set(frame["cells"])      # ruling 32
        hexes = [h for h in hexes if self.firers(frame, h)]
        return Question("target", frame["side"], self.cells("target", hexes) | self.verbs("end fire"))

    def on_target(self, frame, action):
        if action == VERB["end fire"]:
            self.agenda.pop()
            return
        h = self.game.hex_of(action)
        held = self.units_at(other(frame["side"]), h)
        self.then({"do": "join", "side": frame["side"], "hex": h, "target": held[0] if held else None,
                   "able": self.firers(frame, h), "joined": []})

    def do_join(self, frame):
        last = max(frame["joined"], default=-1)
        options = self.rows("join", [r for r in frame["able"] if r > last])
        if frame["joined"]:
            options |= self.verbs("fire")
        return Question("join", frame["side"], options)

    def on_join(self, frame, action):
        if action != VERB["fire"]:
            frame["joined"].append(action)
            if frame["target"] is not None:
                return                                                # decisions 7: a leader alone has one firer
        self.agenda.pop()
        self.open_fire(frame)

    def open_fire(self, join):
        segment = self.agenda[-1]
        target, h, side, joined = join["target"], join["hex"], join["side"], join["joined"]
        segment["spent"] += joined
        if self.phase == "artillery":
            self.fired |= set(joined)                                 # ruling 11
        self.attack = {"hex": h, "target": target, "firers": list(joined), "checked": []}
        if target is None:
            segment["cells"].append(h)
            self.then(*[self.roll("fire", leader, side, joined) for leader in self.leaders_at(other(side), h)], {"do": "attack_end"})
        else:
            segment["units"].append(target)
            self.then(self.roll("fire", target, side, joined), {"do": "attack_end"})

    def fire_code(self, die):
        """R 9.5: the cell of the combat chart, and whether it was a 10."""
        game, attack = self.game, self.attack
        h, target, charts = attack["hex"], attack["target"], game.charts
        total = sum(max(1, self.strength[r] * self.halves(r, h) // 2) for r in attack["firers"])
        column = max(n for n, least in enumerate(charts["combat"]["columns"]) if least <= total)
        if self.form.get(target) == "limbered":
            column = min(column + charts["modifiers"]["limbered"], len(charts["combat"]["columns"]) - 1)
        modified = die
        beside = {self.place[r] for r in attack["firers"] if game.distance(self.place[r], h) == 1}
        if len(beside) >= charts["modifiers"]["flank_hexes"]:         # ruling 29
            modified += charts["modifiers"]["flank"]
        ground = game.ground(h)["die"]
        higher = charts["modifiers"]["higher"] if all(game.level[h] > game.level[self.place[r]] for r in attack["firers"]) else 0
        modified += min(ground, higher)                               # ruling 30: one, the best for the target
        code = charts["combat"]["rows"][max(1, min(10, modified)) - 1][column]
        return code, die == 10 or modified >= 10

    def after_fire(self, subject, die):
        """R 9.6, ruling 33."""
        if self.attack["target"] is None:                             # ruling 32
            if die >= self.game.charts["morale"]["casualty_alone"]:
                self.casualty(subject)
                if self.on_map(subject):
                    self.then({"do": "displace", "leader": subject})
            return
        unit, h = self.attack["target"], self.attack["hex"]
        code, ten = self.fire_code(die)
        code = code.rstrip("*")
        retreats = code.endswith("R")
        loss = int(code.rstrip("R")) if code[0].isdigit() else 0
        frames = []
        leaders = self.leaders_at(self.side_of(unit), h)
        self.lose(unit, loss)
        if ten or not self.alive(unit):
            frames.append({"do": "checks", "leaders": leaders})
        if code != "-" and self.alive(unit):
            steps = self.game.charts["morale"]
            if unit in self.routed:                                   # R 9.8.3, ruling 39
                frames.append({"do": "flee", "unit": unit, "steps": steps["rout"]})
            else:
                if retreats:
                    frames.append({"do": "flee", "unit": unit, "steps": steps["retreat"]})
                frames.append({"do": "morale", "unit": unit})
        self.then(*frames)

    # --- R 9.7: morale check ---

    def morale_die(self, row, die):
        """R 6.4, 9.7: one leader of the unit's command, and the ground."""
        h = self.place[row]
        if any(self.game.commands(leader, row) for leader in self.leaders_at(self.side_of(row), h)):
            die += self.game.charts["morale"]["leader"]
        return die + self.game.ground(h)["morale"]

    def morale_value(self, row):
        return self.game.charts["morale"][self.game.pieces[row].morale]

    def do_morale(self, frame):
        self.agenda.pop()
        unit = frame["unit"]
        if self.alive(unit):
            self.then(self.roll("morale", unit, self.side_of(unit), [unit]))

    def after_morale(self, unit, die):
        if die == 10 or self.morale_die(unit, die) > self.morale_value(unit):
            self.routed.add(unit)
            self.then({"do": "flee", "unit": unit, "steps": self.game.charts["morale"]["rout"]})

    # --- R 9.8: retreat and rout (rulings 34-39, decisions 12) ---

    def do_flee(self, frame):
        """The extra loss of a gun caught unlimbered (ruling 35), then the goal, then the steps."""
        self.agenda.pop()
        unit = frame["unit"]
        h = self.place[unit]
        leaders = self.leaders_at(self.side_of(unit), h)
        if self.form.get(unit) == "unlimbered":
            self.lose(unit, 1)
            self.form[unit] = "limbered"
            if not self.alive(unit):
                self.then({"do": "checks", "leaders": leaders})
                return
        self.then({"do": "retreat_to", "unit": unit},
                  {"do": "retreat", "unit": unit, "left": frame["steps"], "goal": None, "entered": [h], "leaders": leaders})

    def do_retreat_to(self, frame):
        """R 14.1.4."""
        p = self.game.pieces[frame["unit"]]
        goals = [g["hex"] for g in self.game.retreat_hexes
                 if g["side"] == p.side and g.get("division", p.division) == p.division]
        return Question("retreat-to", p.side, self.cells("toward", goals))

    def on_retreat_to(self, frame, action):
        self.agenda.pop()
        self.agenda[-1]["goal"] = self.game.hex_of(action)

    def best_steps(self, frame):
        """Ruling 36."""
        game, unit, goal = self.game, frame["unit"], frame["goal"]
        side, here = self.side_of(unit), self.place[unit]
        enemies = {self.place[r] for r in self.units(other(side))}
        zone = self.zones(other(side))
        possible = [n for n in game.neighbours[here]
                    if n not in game.prohibited and n not in enemies and n not in frame["entered"]]
        nearer = [n for n in possible if game.distance(n, goal) < game.distance(here, goal)]
        level = [n for n in possible if game.distance(n, goal) == game.distance(here, goal)]
        groups = ([n for n in nearer if n not in zone], [n for n in level if n not in zone], nearer, level)
        group = next((g for g in groups if g), [])
        firers = [self.place[r] for r in self.attack["firers"]]
        away = [n for n in group if not any(game.distance(n, f) < game.distance(here, f) for f in firers)]
        return away or group

    def do_retreat(self, frame):
        unit = frame["unit"]
        side, here = self.side_of(unit), self.place[unit]
        settled = here not in self.zones(other(side)) and self.units_at(side, here) == [unit]
        if frame["left"] <= 0 and settled:                            # ruling 37
            self.agenda.pop()
            return None
        steps = self.best_steps(frame)
        if not steps:                                                 # R 9.8: eliminated
            self.agenda.pop()
            self.lose(unit, self.strength[unit])
            self.then({"do": "checks", "leaders": list(frame["leaders"])})
            return None
        return Question("retreat", side, self.cells("retreat", steps))

    def on_retreat(self, frame, action):
        """decisions 12: the step, the point for the zone, the lone enemy leaders, the dead unit's leaders."""
        unit, h = frame["unit"], self.game.hex_of(action)
        for piece in [unit, *frame["leaders"]]:
            self.place[piece] = h
        frame["entered"].append(h)
        frame["left"] -= 1
        intrusions = self.intrude(unit)
        if h in self.zones(other(self.side_of(unit))):
            self.lose(unit, 1)
        if not self.alive(unit):
            self.agenda.pop()
            self.then({"do": "checks", "leaders": list(frame["leaders"])})
        self.then(*intrusions)

    # --- R 9.9: advance after combat (ruling 40, decisions 11) ---

    def do_attack_end(self, frame):
        self.agenda.pop()
        if self.phase == "offence":
            self.then({"do": "advance"})
        else:
            self.attack = None

    def do_advance(self, frame):
        h, enemy = self.attack["hex"], other(self.side)
        empty = not self.units_at(enemy, h) and not self.leaders_at(enemy, h)
        able = [r for r in self.attack["firers"] if empty and self.may_advance(r, h)]
        return Question("advance", self.side, self.rows("advance", able) | self.verbs("stay"))

    def may_advance(self, row, h):
        if self.type_of(row) not in ("infantry", "cavalry") or row in self.routed or self.frozen(row):
            return False
        if self.game.distance(self.place[row], h) != 1:
            return False
        return h not in self.zones(other(self.side)) or self.may_enter_zones(row)

    def on_advance(self, frame, action):
        self.agenda.pop()
        h, self.attack = self.attack["hex"], None
        if action != VERB["stay"]:
            self.place[action] = h
            self.then(*self.intrude(action))

    # =================================================================================================================
    # R 8: movement
    # =================================================================================================================

    def do_movement(self, frame):
        self.agenda.pop()
        self.enter_phase("movement")
        self.then({"do": "pick"}, {"do": "movement_end"})

    def do_movement_end(self, frame):
        self.agenda.pop()
        self.done.clear()
        self.fired.clear()                                            # decisions 16

    def frozen(self, row):
        """R 14.2.3, ruling 25."""
        return row in self.game.frozen_rows and self.turn < self.game.frozen_before

    def allowance(self, row, form):
        """In half points. R 8, 14.3.1 (ruling 23)."""
        slow = self.game.slow
        if slow and slow["side"] == self.side_of(row) and slow["turn"] == self.turn:
            return 2 * slow["movement"]
        return 2 * self.game.charts["movement"][form or self.type_of(row)]

    @staticmethod
    def mover(form):
        """The column of the terrain chart."""
        return form if form in ("mounted", "limbered") else "foot"

    def may_enter_zones(self, row):
        """R 2.4, 6.3, 11, ruling 5. (Leaders: ruling 6.)"""
        if self.turn in self.game.night_turns:
            return False
        if self.type_of(row) == "leader" or self.place[row] == RESERVE:
            return True
        return row in self.in_command and not self.shattered(row) and row not in self.routed

    def may_use_column(self, row):
        """R 8.4, ruling 16."""
        if self.type_of(row) == "leader" or self.place[row] == RESERVE:
            return True
        return row in self.in_command and not self.shattered(row) and row not in self.routed

    def step_cost(self, row, form, a, b, lie):
        """From one hex into the next, in half points."""
        game, charts, kind = self.game, self.game.charts, self.mover(form)
        pair = frozenset((a, b))
        ground = game.ground(b)
        road = pair in game.roads
        cost = 2 * (charts["terrain"]["road"][kind] if road else ground[kind])
        if (road or ground["column"]) and a not in lie.near and b not in lie.near and self.may_use_column(row):
            cost //= 2                                                # R 8.4, rulings 16 and 17
        if not road and pair in game.water:
            cost += 2 * game.water_cost[game.water[pair]][kind]
        cost += 2 * charts["movement"]["level"] * abs(game.level[a] - game.level[b])     # ruling 18
        if a in lie.zone:
            cost += 2 * charts["movement"]["leave_zone"]              # R 8.3
        return cost

    def may_enter(self, row, h, barred, lie):
        """Whether a moving piece may come into this hex, if only to pass through."""
        if h in self.game.prohibited or h in lie.enemies or h in barred:
            return False
        leader = self.type_of(row) == "leader"
        if leader and h in lie.enemy_leaders:                         # ruling 6
            return False
        if h in lie.zone:
            if not self.may_enter_zones(row) or (leader and h not in lie.friends):
                return False
        return True

    def may_end(self, row, h, lie):
        """R 2.1, ruling 2."""
        return self.type_of(row) == "leader" or lie.friends.get(h, row) == row

    def reachable(self, row, form, start, budget, opponents, lie):
        """decisions 2: hexes in which the move may end, with the least cost."""
        game = self.game
        barred = {n for e in opponents for n in game.neighbours[self.place[e]]}          # ruling 4
        combat = game.pieces[row].combat
        cost = {start: 0}
        queue = [(0, start)]
        while queue:
            spent, a = heapq.heappop(queue)
            if spent > cost[a]:
                continue
            if a != start and (a in lie.zone or (combat and a in lie.lone)):
                continue                                              # it must stop there
            for b in game.neighbours[a]:
                if not self.may_enter(row, b, barred, lie):
                    continue
                total = spent + self.step_cost(row, form, a, b, lie)
                if total <= budget and total < cost.get(b, total + 1):
                    cost[b] = total
                    heapq.heappush(queue, (total, b))
        return {h: c for h, c in cost.items() if h != start and self.may_end(row, h, lie)}

    def flight_hexes(self, row, lie):
        """R 9.8.3, ruling 21: the one hex of a routed unit."""
        game, here = self.game, self.place[row]
        nearest = lambda h: min((game.distance(h, e) for e in lie.enemies), default=0)
        return [n for n in game.neighbours[here]
                if n not in game.prohibited and n not in lie.enemies and n not in lie.zone and n not in lie.friends
                and nearest(n) >= nearest(here)]

    def opponents(self, row):
        """Ruling 4, decisions 14: the enemies in whose zones a piece stands."""
        h = self.place[row]
        if h in self.game.prohibited:
            return []
        return [e for e in self.units(other(self.side_of(row)))
                if e not in self.routed and self.game.distance(self.place[e], h) == 1]

    def move_cells(self, frame, lie):
        """Hexes to which the active piece may go now, with the cost."""
        row = frame["piece"]
        if row in self.fired or self.frozen(row) or frame["stopped"]:
            return {}
        if row in self.routed:
            return {} if frame["acted"] else {h: 0 for h in self.flight_hexes(row, lie)}
        form = self.form.get(row)
        if form == "unlimbered":
            return {}
        budget = self.allowance(row, form) - frame["spent"]
        return self.reachable(row, form, self.place[row], budget, frame["opponents"], lie)

    CHANGES = {"limbered": ("unlimber", "unlimbered"), "unlimbered": ("limber", "limbered"),
               "mounted": ("dismount", "dismounted"), "dismounted": ("mount", "mounted")}

    def move_changes(self, frame, lie):
        """R 8.3.1, 8.3.2, ruling 19: the verb of a change of formation, if allowed now."""
        row = frame["piece"]
        form = self.form.get(row)
        if form is None or row in self.routed or row in self.fired or frame["stopped"]:
            return []
        if not self.may_end(row, self.place[row], lie):
            return []
        if frame["spent"] + 2 * self.game.charts["movement"]["formation"] > self.allowance(row, form):
            return []
        return [self.CHANGES[form][0]]

    def move_frame(self, row):
        return {"do": "move", "piece": row, "spent": 0, "acted": False, "stopped": False, "opponents": self.opponents(row)}

    # --- PICK ---

    def can_do_anything(self, row, lie):
        if self.place[row] == RESERVE:
            return bool(self.entry_forms(row, lie))
        frame = self.move_frame(row)
        if self.move_changes(frame, lie):
            return True
        if row not in self.routed and any(self.can_step(row, frame, n, lie) for n in self.game.neighbours[self.place[row]]):
            return True
        return bool(self.move_cells(frame, lie))

    def can_step(self, row, frame, n, lie):
        """A shortcut that saves most floods: one step to a free hex next door."""
        form = self.form.get(row)
        if row in self.fired or self.frozen(row) or form == "unlimbered" or not self.may_end(row, n, lie):
            return False
        barred = {m for e in frame["opponents"] for m in self.game.neighbours[self.place[e]]}
        return (self.may_enter(row, n, barred, lie)
                and self.step_cost(row, form, self.place[row], n, lie) <= self.allowance(row, form))

    def do_pick(self, frame):
        lie = self.lie(self.side)
        mine = [r for r, p in self.game.pieces.items() if p.side == self.side and r not in self.done
                and (self.on_map(r) or self.is_due(r))]
        able = [r for r in mine if self.can_do_anything(r, lie)]
        options = self.rows("pick", able)
        if not any(self.must_come(r) for r in able):                  # ruling 23
            options |= self.verbs("end movement")
        return Question("pick", self.side, options)

    def on_pick(self, frame, action):
        if action == VERB["end movement"]:
            self.agenda.pop()
        elif self.place[action] == RESERVE:
            self.then({"do": "enter", "piece": action, "form": None})
        else:
            self.then(self.move_frame(action))

    # --- R 8.5: reinforcements (ruling 22, decisions 15) ---

    def group_of(self, row):
        return next((g for g in self.game.groups if row in g.pieces), None)

    def is_due(self, row):
        group = self.group_of(row)
        if self.place[row] != RESERVE or group is None:
            return False
        due = self.due[group.name]
        return due is not None and due <= self.turn

    def must_come(self, row):
        """Ruling 23."""
        return self.place[row] == RESERVE and (self.group_of(row).latest or 99) <= self.turn

    def entry_cost(self, form, h, lie):
        cost = 2 * self.game.charts["terrain"]["road"][self.mover(form)]
        return cost if h in lie.near else cost // 2

    def entry_cells(self, row, form, lie):
        game, entry = self.game, self.group_of(row).entry
        leader = self.type_of(row) == "leader"

        def is_open(h):
            if h in lie.enemies or h in lie.zone or h in game.prohibited:
                return False
            return not (leader and h in lie.enemy_leaders)

        hexes = [entry]
        if not is_open(entry):
            free = [h for h in game.edge if is_open(h)]
            least = min((game.distance(h, entry) for h in free), default=0)
            hexes = [h for h in free if game.distance(h, entry) == least]
        return [h for h in hexes if self.can_come_by(row, form, h, lie)]

    def can_come_by(self, row, form, h, lie):
        left = self.allowance(row, form) - self.entry_cost(form, h, lie)
        if left < 0:
            return False
        if self.may_end(row, h, lie):
            return True
        if h in lie.lone:                                             # a friend's hex is no way past a lone leader
            return False
        return bool(self.reachable(row, form, h, left, [], lie))

    def entry_forms(self, row, lie):
        """Formations in which it can come in; [None] for one that has none."""
        kind = self.type_of(row)
        forms = {"cavalry": ["mounted", "dismounted"], "artillery": ["limbered"]}.get(kind, [None])
        return [f for f in forms if self.entry_cells(row, f, lie)]

    def do_enter(self, frame):
        row = frame["piece"]
        lie = self.lie(self.side)
        if row in self.form and frame["form"] is None:
            forms = self.entry_forms(row, lie)
            if self.type_of(row) == "cavalry":
                return Question("enter", self.side, self.verbs(*forms))
            frame["form"] = forms[0]
        return Question("enter", self.side, self.cells("enter", self.entry_cells(row, frame["form"], lie)))

    def on_enter(self, frame, action):
        row = frame["piece"]
        if action >= 576:
            frame["form"] = VERBS[action - 576]
            return
        self.agenda.pop()
        h, form = self.game.hex_of(action), frame["form"]
        cost = self.entry_cost(form, h, self.lie(self.side))
        self.place[row] = h
        if form:
            self.form[row] = form
        move = self.move_frame(row)
        move["spent"], move["acted"] = cost, True
        frames = [move]
        if self.game.pieces[row].combat:
            self.in_command.add(row)                                  # R 8.5, ruling 7
            frames = self.intrude(row) + frames
        self.then(*frames)

    # --- MOVE ---

    def do_move(self, frame):
        row = frame["piece"]
        lie = self.lie(self.side, without=row)
        options = self.cells("to", self.move_cells(frame, lie)) | self.verbs(*self.move_changes(frame, lie))
        if frame["acted"] and self.may_end(row, self.place[row], lie):
            options |= self.verbs("done")
        return Question("move", self.side, options)

    def on_move(self, frame, action):
        row = frame["piece"]
        if action == VERB["done"]:
            self.agenda.pop()
            self.done.add(row)
        elif action >= 576:
            verb = VERBS[action - 576]
            frame["spent"] += 2 * self.game.charts["movement"]["formation"]
            self.form[row] = next(new for v, new in self.CHANGES.values() if v == verb)
            frame["acted"] = True
        else:
            lie = self.lie(self.side, without=row)
            h = self.game.hex_of(action)
            frame["spent"] += self.move_cells(frame, lie)[h]
            frame["acted"] = True
            frame["stopped"] = h in lie.zone                          # R 8.2
            self.place[row] = h
            if self.game.pieces[row].combat:
                self.then(*self.intrude(row))

    # =================================================================================================================
    # R 10: rally (ruling 42)
    # =================================================================================================================

    def do_rally(self, frame):
        self.agenda.pop()
        self.enter_phase("rally")
        tries = [r for r in self.units(self.side) if r in self.routed and r in self.in_command]
        self.then(*[self.roll("rally", r, self.side, [r]) for r in tries])

    def after_rally(self, unit, die):
        if self.morale_die(unit, die) <= self.morale_value(unit):
            self.routed.discard(unit)

    # =================================================================================================================
    # R 11: night (ruling 48)
    # =================================================================================================================

    def begin_night(self):
        self.at_contact = set()
        if self.turn in self.game.night_turns:
            for side in (UNION, CONFEDERATE):
                enemies = [self.place[e] for e in self.units(other(side))]
                self.at_contact |= {r for r in self.units(side)
                                    if any(self.game.distance(self.place[r], e) == 1 for e in enemies)}

    # =================================================================================================================
    # R 13, 14.1.6: victory (rulings 49 to 52)
    # =================================================================================================================

    def score_stars(self):
        victory = self.game.victory
        for star in victory["stars"]:
            if self.units_at(UNION, star):                            # ruling 50
                self.vp += victory["star_points"]
                self.stars += victory["star_points"]

    def finish(self):
        victory = self.game.victory
        won = self.vp >= victory["union_net"] and self.stars >= victory["union_stars"]
        self.result = UNION if won else CONFEDERATE
        self.phase = "over"
        self.agenda.clear()

    # =================================================================================================================
    # R 14: the scenarios
    # =================================================================================================================

    # --- R 14.1.5: Destiny markers (ruling 46) ---

    def fitting_markers(self, side, about):
        """Which of the side's markers (1, 2) may re-roll a die about one of these pieces."""
        fitting = []
        for k, leader in enumerate(self.game.markers[side], 1):
            if leader not in self.markers or not self.on_map(leader):
                continue
            if any(self.on_map(r) and self.game.commands(leader, r) and self.within_radius(leader, self.place[r]) for r in about):
                fitting.append(k)
        return fitting

    # --- R 14.3.2, 14.4: arrivals by the die (rulings 24 and 53) ---

    def do_arrival(self, frame):
        self.agenda.pop()
        group = self.game.groups[frame["group"]]
        wanted = (self.due[group.name] is None
                  and (self.turn == group.die["turn"] if group.die else self.turn >= group.every["from"]))
        if wanted:
            self.then(self.roll("arrival", self.game.row[(group.die or group.every)["subject"]]))

    def after_arrival(self, subject, die):
        for group in self.game.groups:
            if group.die and self.game.row[group.die["subject"]] == subject:
                self.due[group.name] = next(line["turn"] for line in group.die["table"] if die <= line["to"])
            elif group.every and self.game.row[group.every["subject"]] == subject:
                if die + group.every["modifier"] < self.turn:
                    self.due[group.name] = self.turn
                    if self.turn <= group.every["penalty_until"]:
                        points = group.every["penalty"]
                        self.vp += -points if group.side == UNION else points

    # =================================================================================================================
    # The state as plain data
    # =================================================================================================================

    def to_dict(self):
        name = lambda row: None if row is None else self.game.pieces[row].slug
        names = lambda rows: [name(r) for r in sorted(rows)]
        pieces = {}
        for row, p in self.game.pieces.items():
            here = self.on_map(row)
            mine = here and p.combat and p.side == self.side and self.phase not in ("setup", "over")
            pieces[p.slug] = {
                "row": row,
                "hex": self.place[row],
                "strength": self.strength.get(row),
                "routed": row in self.routed,
                "formation": self.form.get(row) if self.alive(row) else None,
                "fired": row in self.fired,
                "in_command": (row in self.in_command) if mine else None,
                "replacement": row in self.replaced if not p.combat else None,
                "done": row in self.done,
            }
        return {
            "turn": self.turn, "side": self.side, "phase": self.phase, "decision": self.decision, "to_move": self.to_move,
            "vp": self.vp, "stars": self.stars, "result": self.result,
            "pieces": pieces,
            "markers": names(self.markers),
            "due": dict(self.due),
            "contact": names(self.at_contact),
            "pending": self.pending(name, names),
        }

    def pending(self, name, names):
        """What is under way, read off the agenda from below to the top."""
        out = {}
        if self.attack:
            out["attack"] = {"hex": self.attack["hex"], "target": name(self.attack["target"]),
                             "firers": names(self.attack["firers"]), "checked": names(self.attack["checked"])}
        for f in self.agenda:
            if f["do"] == "formation" and f is self.agenda[-1] or f["do"] == "leader" and f is self.agenda[-1]:
                out["setup"] = name(f["piece"])
            elif f["do"] == "target":
                out["segment"] = {"side": f["side"], "spent": names(f["spent"]), "targets": names(f["units"]),
                                  "cells": sorted(f["cells"])}
            elif f["do"] == "join":
                out["join"] = {"hex": f["hex"], "target": name(f["target"]), "joined": names(f["joined"])}
            elif f["do"] == "roll" and f is self.agenda[-1]:
                out["roll"] = {"kind": f["kind"], "subject": name(f["subject"]), "die": f["die"], "again": f["again"],
                               "occurrence": self.dice.get((f["kind"], f["subject"]), 0)}
            elif f["do"] == "checks":
                out["checks"] = names(f["leaders"])
            elif f["do"] in ("flee", "morale"):
                out[f["do"]] = {"unit": name(f["unit"]), "steps": f.get("steps")}
            elif f["do"] == "retreat":
                out["retreat"] = {"unit": name(f["unit"]), "left": max(0, f["left"]), "goal": f["goal"],
                                  "entered": list(f["entered"]), "leaders": names(f["leaders"])}
            elif f["do"] == "enter":
                out["enter"] = {"piece": name(f["piece"]), "formation": f["form"]}
            elif f["do"] == "move":
                row = f["piece"]
                out["move"] = {"piece": name(row), "spent": f["spent"], "acted": f["acted"],
                               "left": max(0, self.allowance(row, self.form.get(row)) - f["spent"]),
                               "left_zones_of": names(f["opponents"])}
            elif f["do"] == "displace":
                out.setdefault("displace", []).insert(0, name(f["leader"]))
        return out
