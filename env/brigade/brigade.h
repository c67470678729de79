/* brigade.h: the Civil War Brigade Battle ruleset: its scenario data, its state, its chapters.
 *
 * `struct brigade` is what a scenario says plus tables computed from it once, immutable. `struct
 * brigade_state` is one position: 640 bytes, no pointers, no padding. How often things happen decides the
 * layout: a random game asks some 400 decisions, most of them PICK and MOVE, so sets of pieces are 64-bit row
 * sets, sets of cells are boards, and the zone of the side that waits is kept, since it cannot change while the
 * other side moves.
 *
 * Rows: 0-31 Union, 32-63 Confederate, in roster order. Cells: row-major over columns + 1 (one
 * padding column, so that neighbour shifts never wrap): hex CCRR is (RR - 1) * stride + (CC - 1).
 * Movement points are counted in half points (ruling 16). Citations: "R 8.4" is the rulebook's chapter,
 * "ruling 16" stands in scenarios/cedar-mountain/RULINGS.md, "decisions 12" in DECISIONS.md here. */
#ifndef BRIGADE_H
#define BRIGADE_H

#include "../board.h"
#include "../game.h"

enum {
    BRIGADE_ROWS = 64,
    BRIGADE_SIDE = 32, /* rows of one side */
    BRIGADE_CELLS = BOARD_CELLS,
    BRIGADE_ID_CELL = 64, /* first cell among action ids */
    BRIGADE_ID_VERB = BRIGADE_ID_CELL + BRIGADE_CELLS,
    BRIGADE_NAME = 32,
    BRIGADE_LEADERS = 16, /* leaders in a roster */
    BRIGADE_TERRAINS = 16,
    BRIGADE_GROUPS = 8, /* reinforcement groups */
    BRIGADE_MARKERS = 2, /* Destiny markers a side: there are two reroll verbs */
    BRIGADE_RETREATS = 8, /* retreat hexes */
    BRIGADE_ALLOWANCE = 40, /* most half points a piece may have */
    BRIGADE_COLUMNS = 16, /* of the combat chart */
    BRIGADE_RANGE = 16,   /* no fire reaches so far */
    BRIGADE_TURNS = 32,
    BRIGADE_STEPS = 16 /* different costs of a step for one gait */
};

enum brigade_type { INFANTRY, CAVALRY, ARTILLERY, LEADER };

/* Verbs, in the order of DECISIONS.md; the id of a verb is BRIGADE_ID_VERB + this. */
enum brigade_verb {
    VERB_END_FIRE, VERB_FIRE, VERB_KEEP, VERB_REROLL_1, VERB_REROLL_2, VERB_STAY, VERB_END_MOVEMENT, VERB_LIMBER,
    VERB_UNLIMBER, VERB_MOUNT, VERB_DISMOUNT, VERB_DONE, VERB_LIMBERED, VERB_UNLIMBERED, VERB_MOUNTED,
    VERB_DISMOUNTED, BRIGADE_VERBS
};

enum { BRIGADE_ACTIONS = BRIGADE_ID_VERB + BRIGADE_VERBS };

enum { BRIGADE_PIECE_COLUMNS = 24, BRIGADE_GLOBAL_COLUMNS = 36 }; /* of an observation */

/* Who walks: decides the cost of a step. Dismounted cavalry, infantry and leaders are on foot for this. */
enum brigade_gait { FOOT, MOUNTED, LIMBERED, BRIGADE_GAITS };

/* Who fires: decides the multiplier by range. */
enum brigade_arm { ARM_INFANTRY, ARM_DISMOUNTED, ARM_MOUNTED, ARM_ARTILLERY, BRIGADE_ARMS };

struct brigade_piece {
    char name[BRIGADE_NAME]; /* "Reserve 6"; "" in an unused row */
    char text[BRIGADE_NAME]; /* "reserve-6" */
    uint8_t type;            /* enum brigade_type */
    uint8_t strength, back;  /* back 0: cannot shatter; leaders: strength 2 (front side), 0 for back */
    uint8_t morale;          /* 5, 7, 9; 0 for leaders */
    uint8_t independent;     /* always in command (R 3.3.3) */
    char division[BRIGADE_NAME], superior[BRIGADE_NAME];
    /* what this scenario does with it */
    uint8_t set_up;   /* 1: on the map from the start (leaders: placed by their owner) */
    uint8_t group;    /* 1 + reinforcement group, 0 for none */
    uint16_t cell;    /* units set up: where */
};

/* Reinforcements that are due together. The turn is fixed, or found by a die (ARRIVAL, subject `leader`). */
struct brigade_group {
    char name[BRIGADE_NAME];
    uint64_t rows;
    uint8_t turn;         /* due from this turn; 0: a die decides */
    uint8_t latest;       /* must have come by the end of this turn's Movement Phase (ruling 23); 0: no such duty */
    uint16_t entry;       /* cell */
    uint8_t subject;      /* row named by the event key of the die */
    uint8_t die_turn;     /* rolled once, at the start of that side's half of this turn (ruling 24); 0: not so */
    uint8_t die_result[11]; /* [face] due turn */
    uint8_t every_from;   /* rolled at the start of each game turn from this one until it comes (ruling 53); 0: not so */
    int8_t every_modifier;/* it comes when face + this < turn */
    int8_t penalty;       /* victory points to the other side when it comes ... */
    uint8_t penalty_until;/* ... on this turn or before */
};

struct brigade_retreat {
    uint64_t rows; /* who may use it */
    uint16_t cell;
};

/* A combat chart entry (R 9.6). */
struct brigade_result {
    uint8_t loss;
    bool check;   /* anything but "-" */
    bool retreat; /* R */
    bool leader;  /* * */
};

/* The shifts that take a cell number to a neighbour's: 1, stride - 1, stride, stride + 1 up, then the same down.
 * Which hexside that is depends on the column's parity; the boards of a step see to it. */
enum { BRIGADE_SHIFTS = 8 };

/* The cells that a step costing so many half points enters, by the shift that leads there. */
struct brigade_step {
    uint8_t cost;
    board into[BRIGADE_SHIFTS];
};

struct brigade_walk {
    int full_count, column_count;
    int dearest; /* of all full steps, half points */
    struct brigade_step full[BRIGADE_STEPS];   /* every possible step, at full cost, cheapest first */
    struct brigade_step column[BRIGADE_STEPS]; /* the steps that column movement halves, at that cost (R 8.4) */
};

struct brigade {
    /* ---- what the files say ---- */
    char title[128];
    struct brigade_piece piece[BRIGADE_ROWS];
    uint8_t columns, map_rows, stride;
    uint8_t terrain[BRIGADE_CELLS]; /* index into terrains; BRIGADE_TERRAINS off the map */
    uint8_t level[BRIGADE_CELLS];
    uint8_t road[BRIGADE_CELLS];          /* bit d: a road or track runs over the hexside in direction d */
    uint8_t water[BRIGADE_CELLS][6];      /* 1 + kind of water on that hexside, 0 for none */
    char place[BRIGADE_CELLS][BRIGADE_NAME]; /* names of the ground, for people */
    struct {
        char name[BRIGADE_NAME];
        char letter;
        uint8_t cost[BRIGADE_GAITS]; /* half points */
        int8_t die, morale;
        bool blocks_sight, column, prohibited;
    } terrains[BRIGADE_TERRAINS];
    int terrain_count;
    uint8_t road_cost[BRIGADE_GAITS];            /* half points */
    uint8_t water_cost[BRIGADE_TERRAINS][BRIGADE_GAITS];
    int water_count;
    struct { /* half points */
        uint8_t infantry, mounted, dismounted, limbered, unlimbered, leader, formation, leave_zone, level;
    } allowance;
    uint8_t column_distance;
    uint8_t radius, replacement_radius;
    uint8_t multiplier[BRIGADE_ARMS][BRIGADE_RANGE]; /* halves by range; 0: cannot fire so far */
    int8_t flank_die, higher_die;
    uint8_t flank_hexes, limbered_shift;
    int combat_columns;
    uint8_t combat_least[BRIGADE_COLUMNS];
    struct brigade_result combat[11][BRIGADE_COLUMNS]; /* [1..10] */
    int8_t leader_morale;
    uint8_t retreat_hexes, rout_hexes, casualty_least, casualty_alone_least;

    uint8_t first_turn, last_turn, first_player;
    bool night[BRIGADE_TURNS], artillery_only[BRIGADE_TURNS];
    char clock[BRIGADE_TURNS][8];
    uint64_t leader_with[BRIGADE_ROWS]; /* set-up: a leader stands with or next to one of these (ruling 45) */
    struct brigade_group group[BRIGADE_GROUPS];
    int group_count;
    uint64_t frozen; /* until the turn below (R 14.2.3) */
    uint8_t frozen_before;
    struct { uint8_t side, turn, allowance; } slow; /* that side's allowance is capped on that turn (R 14.3.1); turn 0: never */
    struct brigade_retreat retreat[BRIGADE_RETREATS];
    int retreat_count;
    uint8_t marker[2][BRIGADE_MARKERS]; /* leader rows named by each side's Destiny markers */
    int marker_count[2];
    board stars;
    uint8_t star_points;
    int16_t union_net, union_stars; /* the Union wins with both (R 14.1.6) */

    /* ---- computed from it (map.c, sight.c, command.c) ---- */
    uint64_t present, infantry, cavalry, guns, leaders, units; /* row sets of the pieces in this scenario; units: all but leaders */
    uint64_t under[BRIGADE_ROWS];  /* by leader: the units and leaders of his command (ruling 9) */
    uint64_t leads[BRIGADE_ROWS];  /* by leader: units that he puts in command (R 6.1, 6.2) */
    uint8_t leader_slot[BRIGADE_ROWS]; /* 0.. in row order over both sides */
    board map, open, edge;   /* cells of the map; those not prohibited; those on the rim */
    board odd;               /* cells in odd columns (the higher ones), padding included */
    board terrain_board[BRIGADE_TERRAINS];
    uint16_t neighbour[BRIGADE_CELLS][6]; /* N NE SE S SW NW; BRIGADE_CELLS off the map */
    board adjacent[BRIGADE_CELLS];        /* the open neighbours: also a unit's zone of control */
    board within[BRIGADE_CELLS];          /* cells within column_distance */
    int8_t cube_q[BRIGADE_CELLS], cube_r[BRIGADE_CELLS];
    uint8_t hex_column[BRIGADE_CELLS], hex_row[BRIGADE_CELLS]; /* CC and RR */
    uint8_t observation[2][BRIGADE_ROWS][BRIGADE_PIECE_COLUMNS]; /* by player: the columns that never change (observe.c) */
    uint64_t serial; /* no other game of this process has it */
    struct brigade_walk walk[BRIGADE_GAITS];
    uint8_t cheapest[BRIGADE_GAITS][2][BRIGADE_CELLS]; /* step out of a cell, half points; [1]: in column where that halves */
    /* Line of sight (R 9.4). sight[a] holds every b in reach of guns that terrain leaves visible from a. For such a
     * pair screen[a][b] says which neighbours of b hide it when a unit friendly to the firer stands there: low six
     * bits a set of directions, SCREEN_BOTH set when all of them must be held. */
    board sight[BRIGADE_CELLS];
    uint8_t screen[BRIGADE_CELLS][BRIGADE_CELLS];
    int16_t attack[BRIGADE_COLUMNS][19][10]; /* attack_value by column, modifier + 9 and morale (appraise.c) */
    int max_decisions, score_low, score_high;
};

enum { SCREEN_BOTH = 64 };

enum brigade_phase { PHASE_SETUP, PHASE_COMMAND, PHASE_ARTILLERY, PHASE_MOVEMENT, PHASE_DEFENCE, PHASE_OFFENCE, PHASE_RALLY, PHASE_OVER };

/* The pending decision or chance node. */
enum brigade_decision {
    NO_DECISION, FORMATION, PLACE_LEADER, TARGET, JOIN, REROLL, RETREAT_TO, RETREAT, ADVANCE, PICK, ENTER, MOVE, DISPLACE,
    CHANCE_FIRE, CHANCE_MORALE, CHANCE_RALLY, CHANCE_CASUALTY, CHANCE_ARRIVAL
};

/* How far the attack, the rally or the piece in hand has come; 0 between two of them. */
enum brigade_stage {
    STAGE_NONE,
    STAGE_FIRE,     /* target named, firers join, then the die */
    STAGE_RETREAT,  /* the result's retreat is due or under way */
    STAGE_MORALE,   /* the check is due */
    STAGE_ROUT,     /* a rout is due or under way */
    STAGE_ADVANCE,  /* results done: an advance may follow */
    STAGE_ENTER,    /* the picked reinforcement comes on */
    STAGE_MOVE      /* the picked piece moves */
};

/* One position. Row sets are named by what their members are. Fields that no later rule can read are 0. */
struct brigade_state {
    uint16_t cell[BRIGADE_ROWS];    /* 0 unless on_map */
    uint8_t strength[BRIGADE_ROWS]; /* SP; leaders: 2 front, 1 Replacement; 0 eliminated or not in this scenario */
    uint64_t on_map;
    uint64_t routed;
    uint64_t deployed;   /* guns unlimbered, cavalry dismounted */
    uint64_t fired;      /* "Fired" markers, until the owner's Movement Phase ends (ruling 11) */
    uint64_t in_command; /* of the side whose half-turn it is, until it ends (ruling 7) */
    uint64_t done;       /* active in this Movement Phase already */
    uint64_t engaged;    /* in this fire segment: fired (firing side's rows), was fired on (the target side's) */
    uint64_t joined;     /* firers of the attack in hand */
    uint64_t checked;    /* leaders whose casualty die this attack has thrown */
    uint64_t with;       /* leaders who go along with the unit that retreats; after its death those still to be dealt with */
    uint64_t to_place;   /* leaders who must be placed with the nearest friendly unit */
    uint64_t to_check;   /* leaders who are to throw a casualty die */
    uint64_t may_fire_at_night; /* adjacent to an enemy when the night turn began (ruling 48) */
    board occupied[2];   /* derived: cells of combat units, by side */
    board waiting_zone;  /* derived: zone of control of the side whose half-turn it is not */
    board near;          /* derived, in the Movement Phase: cells within column_distance of that side's units */
    uint32_t barred;     /* enemies (side-relative rows) in whose zone the piece in hand started (ruling 4) */
    int16_t vp;          /* net, from the Union's side (ruling 49) */
    int16_t stars;       /* VP that the Union earned from stars (ruling 52) */
    uint16_t target;     /* 1 + cell fired on */
    uint16_t toward;     /* 1 + retreat hex */
    uint16_t ring[2];    /* 1 + cells that the retreat may not enter again, sorted: see retreat.c */
    uint8_t turn;
    uint8_t side;        /* whose half-turn it is; in set-up, whose set-up */
    uint8_t phase, decision, stage; /* enums above */
    uint8_t subject;     /* row: piece in hand, target unit, rally or set-up cursor; for a leader alone his row */
    uint8_t face;        /* 1..10: the die that REROLL is about; else 0 */
    uint8_t rolled;      /* REROLL: the chance node that threw it; at a chance node: 1 if it is a re-roll */
    uint8_t markers[2];  /* unused Destiny markers, bit k for the k-th */
    uint8_t arrival[BRIGADE_GROUPS]; /* turn found by a die, 0 while unknown */
    uint8_t casualty_dice[BRIGADE_LEADERS]; /* CASUALTY dice thrown in this phase, by leader slot */
    uint8_t spent;       /* half points spent by the piece in hand */
    uint8_t acted;       /* the piece in hand has done something */
    uint8_t to_go;       /* hexes of retreat left */
    uint8_t spare[3];    /* always 0 */
};

_Static_assert(sizeof(struct brigade_state) == 608, "no padding; the bar is 640 bytes");
_Static_assert(offsetof(struct brigade_state, spare) == 605, "no padding inside");

/* ---- small readings, used by every chapter ---- */

static inline int side_of(int row) { return row >= BRIGADE_SIDE; }
static inline uint64_t rows_of(int side) { return side ? UINT64_C(0xffffffff) << 32 : UINT64_C(0xffffffff); }
static inline uint64_t bit(int row) { return UINT64_C(1) << row; }
static inline bool has(uint64_t rows, int row) { return rows >> row & 1; }
static inline int lowest(uint64_t rows) { return __builtin_ctzll(rows); }

/* Distance in hexes (R 7.2 counts so). */
static inline int distance(const struct brigade *b, unsigned from, unsigned to) {
    int q = b->cube_q[from] - b->cube_q[to], r = b->cube_r[from] - b->cube_r[to], s = -q - r;
    q = q < 0 ? -q : q, r = r < 0 ? -r : r, s = s < 0 ? -s : s;
    int most = q > r ? q : r;
    return most > s ? most : s;
}

/* R 2.4, 3.3.2: infantry and cavalry at or below their back side. */
static inline bool shattered(const struct brigade *b, const struct brigade_state *s, int row) {
    return s->strength[row] <= b->piece[row].back;
}

/* ---- map.c: neighbours, distances, costs of every step; sight.c: line of sight tables ---- */
void brigade_compute_map(struct brigade *b);
void brigade_compute_sight(struct brigade *b);
void brigade_compute_observation(struct brigade *b); /* observe.c */
void brigade_compute_attacks(struct brigade *b);     /* appraise.c */
int brigade_cell(const struct brigade *b, const char *hex); /* "0708" to its cell, -1 if it is none of this map's */
void brigade_hex(const struct brigade *b, int cell, char hex[5]);

/* ---- scenario.c: files to struct brigade; statefile.c; check.c ---- */
int brigade_open(const char *text, size_t length, const char *folder, void **rules, lr_info *info, lr_error *error);
void brigade_close(void *rules);
int brigade_format(const void *rules, const lr_state *state, const char *scenario, char *text, size_t size);
int brigade_parse(const void *rules, const char *text, size_t length, lr_state *state, lr_error *error);
int brigade_check(const void *rules, const lr_state *state, lr_error *error);

/* ---- text.c, draw.c, observe.c, appraise.c ---- */
char *brigade_action_text(const void *rules, const lr_state *state, int action, char text[LR_MAX_TEXT]);
char *brigade_heading(const void *rules, const lr_state *state, char text[LR_MAX_TEXT]);
const char *brigade_decision_name(const void *rules, const lr_state *state);
int brigade_draw(const void *rules, const lr_state *state, bool color, char *text, size_t size);
void brigade_observe(const void *rules, const lr_state *state, int player, uint8_t *pieces, int16_t *globals);
void brigade_appraise(const void *rules, const lr_state *state, const uint16_t *legal, int count, int32_t *appraisals);
int brigade_evaluate(const void *rules, const lr_state *state);
extern const lr_column brigade_piece_spec[BRIGADE_PIECE_COLUMNS], brigade_global_spec[BRIGADE_GLOBAL_COLUMNS];

extern const struct lr_generator brigade_generator; /* generate.c */
extern const struct lr_tally brigade_tally;         /* tally.c */
extern const struct lr_ruleset brigade_ruleset;     /* ruleset.c */

#endif
