/* Scenario files: what ships loads; what is wrong is refused with a sentence that says where; what is edited changes play. */
#include "position.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

/* A copy of scenarios/cedar-mountain in which one file has one text replaced by another. */
static char folder[64];

static void copy_folder(void) {
    static const char from[] = LONGROLL_SOURCE "/scenarios/cedar-mountain";
    strcpy(folder, "/tmp/longroll-scenario-XXXXXX");
    assert_non_null(mkdtemp(folder));
    DIR *files = opendir(from);
    assert_non_null(files);
    for (struct dirent *file; (file = readdir(files));) {
        char path[512], *text;
        size_t length;
        if (!strstr(file->d_name, ".yaml")) continue;
        snprintf(path, sizeof path, "%s/%s", from, file->d_name);
        assert_int_equal(lr_file_read(path, 1 << 20, &text, &length, NULL), LR_OK);
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        assert_int_equal(lr_file_write(path, text, length, NULL), LR_OK);
        free(text);
    }
    closedir(files);
}

static void remove_folder(void) {
    DIR *files = opendir(folder);
    for (struct dirent *file; (file = readdir(files));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        unlink(path);
    }
    closedir(files);
    rmdir(folder);
}

static void replace(const char *file, const char *old, const char *new) {
    char path[512], *text;
    size_t length;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    assert_int_equal(lr_file_read(path, 1 << 20, &text, &length, NULL), LR_OK);
    char *found = strstr(text, old);
    if (!found) {
        fail_msg("%s holds no \"%s\"", file, old);
        return;
    }
    char *edited = malloc(length + strlen(new) + 1);
    const size_t before = (size_t)(found - text);
    memcpy(edited, text, before);
    strcpy(edited + before, new);
    strcat(edited, found + strlen(old));
    assert_int_equal(lr_file_write(path, edited, strlen(edited), NULL), LR_OK);
    free(text);
    free(edited);
}

static char *path_of(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void refused(const char *file, const char *old, const char *new, const char *words, int line) {
    lr_game *g = NULL;
    lr_error error;
    copy_folder();
    replace(file, old, new);
    const int code = lr_game_open(path_of("historical.yaml"), &g, &error);
    remove_folder();
    if (code == LR_OK) {
        lr_game_close(g);
        print_error("%s with \"%s\" should be refused (%s)\n", file, new, words);
        _fail(__FILE__, line);
    }
    if (code != LR_E_SCENARIO || !strstr(error.text, words) || strchr(error.text, '\n')) {
        print_error("%s with \"%s\": %s \"%s\" should speak of \"%s\"\n", file, new, lr_code_name(code), error.text, words);
        _fail(__FILE__, line);
    }
}
#define REFUSED(file, old, new, words) refused(file, old, new, words, __LINE__)

RULE(test_all_four_scenarios_load) {
    static const char *const names[] = {HISTORICAL, HISTORICAL_POPE, FREE, FREE_POPE};
    uint64_t hashes[4];
    for (int i = 0; i < 4; i++) {
        const lr_info *info = lr_game_info(game_of(names[i]));
        assert_string_equal(info->ruleset, "brigade");
        assert_string_equal(info->scenario, names[i]);
        assert_true(strstr(info->title, "Cedar Mountain") == info->title);
        assert_false(info->hidden);
        hashes[i] = info->scenario_hash;
        for (int j = 0; j < i; j++) assert_true(hashes[i] != hashes[j]);
    }
}

RULE(test_a_copied_folder_is_the_same_game) {
    lr_game *g;
    lr_error error;
    copy_folder();
    replace("historical.yaml", "longroll: 1", "# a comment\nlongroll:   1");
    if (lr_game_open(path_of("historical.yaml"), &g, &error)) fail_msg("%s", error.text);
    assert_true(lr_game_info(g)->scenario_hash == lr_game_info(game())->scenario_hash); /* comments and layout do not count */
    lr_game_close(g);
    remove_folder();
}

RULE(test_the_environment_names_the_folder) {
    lr_game *g;
    lr_error error;
    copy_folder();
    setenv("LONGROLL_SCENARIOS", folder, 1);
    assert_string_equal(lr_scenario_folder(), folder);
    if (lr_game_open("free", &g, &error)) fail_msg("%s", error.text);
    assert_string_equal(lr_game_info(g)->scenario, "free");
    lr_game_close(g);
    assert_int_equal(lr_game_open(HISTORICAL, &g, &error), LR_E_NOT_FOUND);
    unsetenv("LONGROLL_SCENARIOS");
    remove_folder();
}

RULE(test_no_such_scenario) {
    lr_game *g;
    lr_error error;
    assert_int_equal(lr_game_open("cedar-mountain/antietam", &g, &error), LR_E_NOT_FOUND);
    assert_non_null(strstr(error.text, "antietam"));
    assert_int_equal(lr_game_open("/nowhere/at-all.yaml", &g, &error), LR_E_NOT_FOUND);
    assert_int_equal(lr_game_open("../../etc/passwd", &g, &error), LR_E_NOT_FOUND);
}

RULE(test_pieces_and_hexes_that_do_not_exist) {
    REFUSED("historical.yaml", "{piece: Bayard, hex: \"0904\"}", "{piece: Bayerd, hex: \"0904\"}", "Bayerd");
    REFUSED("historical.yaml", "{piece: Bayard, hex: \"0904\"}", "{piece: Bayard, hex: \"2004\"}", "2004");
    REFUSED("historical.yaml", "{piece: Bayard, hex: \"0904\"}", "{piece: Bayard, hex: \"0421\"}", "0421");
    REFUSED("historical.yaml", "stars: [\"0708\"", "stars: [\"0021\"", "0021");
    REFUSED("historical.yaml", "markers: [Banks", "markers: [Bonks", "Bonks");
    REFUSED("historical.yaml", "pieces: [Branch, A.P. Hill]", "pieces: [Branch, B.P. Hill]", "B.P. Hill");
    REFUSED("historical.yaml", "{side: union, hex: \"1701\"}", "{side: union, hex: \"1799\"}", "1799");
}

RULE(test_units_that_cannot_stand_there) {
    REFUSED("historical.yaml", "{piece: Gordon, hex: \"0905\"}", "{piece: Gordon, hex: \"0904\"}", "0904");
    REFUSED("historical.yaml", "{piece: Gordon, hex: \"0905\"}", "{piece: Gordon, hex: \"1414\"}", "1414"); /* the pond */
    REFUSED("historical.yaml", "{piece: Gordon, hex: \"0905\"}", "{piece: Bayard, hex: \"0905\"}", "Bayard"); /* twice */
    REFUSED("historical.yaml", "{piece: Gordon, hex: \"0905\"}", "{piece: Gordon, hex: \"0505\"}", "0505"); /* Stonewall's */
}

RULE(test_impossible_strengths) {
    REFUSED("units.yaml", "strength: 17, back: 8", "strength: 0, back: 8", "strength");
    REFUSED("units.yaml", "strength: 17, back: 8", "strength: -3, back: 8", "strength");
    REFUSED("units.yaml", "strength: 17, back: 8", "strength: 300, back: 8", "strength");
    REFUSED("units.yaml", "strength: 17, back: 8", "strength: 17, back: 17", "back");
    REFUSED("units.yaml", "strength: 17, back: 8", "strength: many, back: 8", "many");
    REFUSED("units.yaml", "strength: 17, back: 8", "strength: 17abc, back: 8", "17abc");
    REFUSED("units.yaml", "strength: 17, back: 8", "strength: 17.9, back: 8", "17.9");
    REFUSED("units.yaml", "strength: 17, back: 8", "strength: 0x11, back: 8", "0x11");
    REFUSED("units.yaml", "strength: 17, back: 8", "strength: +17, back: 8", "+17");
    REFUSED("units.yaml", "strength: 17, back: 8", "strength: 017, back: 8", "017");
}

RULE(test_rosters_that_cannot_be) {
    REFUSED("units.yaml", "name: \"Gordon\"", "name: \"Crawford\"", "Crawford");
    REFUSED("units.yaml", "morale: black", "morale: purple", "purple");
    REFUSED("units.yaml", "side: union", "side: french", "french");
    REFUSED("units.yaml", "type: infantry", "type: dragoons", "dragoons");
}

RULE(test_yaml_faults_name_the_line) {
    REFUSED("historical.yaml", "longroll: 1", "longroll: [1", "line ");
    REFUSED("historical.yaml", "{piece: Bayard, hex: \"0904\"}", "{piece: Bayard, hex: 0904}", "line 2"); /* lines 20 to 29: unquoted */
    REFUSED("historical.yaml", "{piece: Bayard, hex: \"0904\"}", "{piece: Bayard, hex: 0904}", "quotes");
    REFUSED("historical.yaml", "{piece: Bayard, hex: \"0904\"}", "{piece: Bayard, hex: \"0904\"", "line 2");
    REFUSED("historical.yaml", "turns:", "turns: &t", "line ");
    REFUSED("map.yaml", "columns: 19", "columns: [19", "line ");
    REFUSED("units.yaml", "pieces:", "pieces: *p", "line ");
}

RULE(test_keys_unknown_missing_or_twice) {
    REFUSED("historical.yaml", "longroll: 1", "longroll: 1\nweather: fine", "weather");
    REFUSED("historical.yaml", "charts: charts.yaml", "", "charts");
    REFUSED("historical.yaml", "longroll: 1", "longroll: 1\nlongroll: 1", "longroll");
    REFUSED("historical.yaml", "longroll: 1", "longroll: 2", "2");
    REFUSED("charts.yaml", "infantry: 6", "infantery: 6", "infantery");
}

RULE(test_other_rulesets_and_missing_files) {
    lr_game *g;
    lr_error error;
    copy_folder();
    replace("historical.yaml", "ruleset: brigade", "ruleset: squad");
    assert_int_not_equal(lr_game_open(path_of("historical.yaml"), &g, &error), LR_OK);
    assert_non_null(strstr(error.text, "squad"));
    replace("free.yaml", "map: map.yaml", "map: nowhere.yaml");
    assert_int_not_equal(lr_game_open(path_of("free.yaml"), &g, &error), LR_OK);
    assert_non_null(strstr(error.text, "nowhere.yaml"));
    remove_folder();
}

RULE(test_maps_that_cannot_be) {
    REFUSED("map.yaml", "\"....ww..www..www...\"", "\"....ww..www..www..\"", "grid");       /* a row too short */
    REFUSED("map.yaml", "\"....ww..www..www...\"", "\"....ww..www..wxw...\"", "x");          /* no such terrain */
    REFUSED("map.yaml", "\"0000010011100111111\"", "\"00000100111001111x1\"", "elevation"); /* no level */
    REFUSED("map.yaml", "[\"0115\", \"0214\", \"0213\"", "[\"0115\", \"0213\"", "0213");     /* a road that jumps */
    REFUSED("map.yaml", "[\"1001\", \"1101\"]", "[\"1001\", \"1301\"]", "1301");             /* no hexside */
    REFUSED("map.yaml", "columns: 19", "columns: 0", "columns");
    REFUSED("map.yaml", "rows: 20", "rows: 99", "rows");
}

RULE(test_charts_that_cannot_be) {
    REFUSED("charts.yaml", "[\"-\", \"-\", \"-\", \"-\", \"-\", \"-\", \"-\", \"-\", \"M\"]", "[\"-\", \"-\", \"-\", \"-\", \"-\", \"-\", \"-\", \"-\", \"Q\"]", "Q");
    REFUSED("charts.yaml", "[\"-\", \"-\", \"-\", \"-\", \"-\", \"-\", \"-\", \"-\", \"M\"]", "[\"-\", \"-\", \"-\", \"-\", \"-\", \"-\", \"-\", \"M\"]", "combat");
    REFUSED("charts.yaml", "columns: [1, 3, 5,", "columns: [1, 5, 3,", "columns"); /* not ascending */
    REFUSED("charts.yaml", "infantry: 6", "infantry: 600", "infantry");
    REFUSED("charts.yaml", "{to: 5, halves: 2}", "{to: 0, halves: 2}", "artillery");
}

RULE(test_turns_that_cannot_be) {
    REFUSED("historical.yaml", "first: 3", "first: 10", "first");
    REFUSED("historical.yaml", "last: 9", "last: 99", "last");
    REFUSED("historical.yaml", "night: [9]", "night: [12]", "night");
    REFUSED("historical.yaml", "first_player: union", "first_player: nobody", "nobody");
}

/* ---- edited data change play ---- */

/* The folder's historical scenario, as edited, is played from here on. */
static void take_edited(void) {
    scenario(strdup(path_of("historical.yaml")));
    game(); /* read now; it keeps the name. NOLINT(clang-analyzer-unix.Malloc): to the end, as it does the game */
    remove_folder();
    assert_true(lr_game_info(game())->scenario_hash != lr_game_info(game_of(HISTORICAL))->scenario_hash);
}

static void edited(const char *file, const char *old, const char *new) {
    copy_folder();
    replace(file, old, new);
    take_edited();
}

RULE(test_an_edited_combat_chart_is_played) {
    edited("charts.yaml", "[\"-\", \"-\", \"-\", \"-\", \"-\", \"-\", \"-\", \"-\", \"M\"]", "[\"-\", \"-\", \"-\", \"-\", \"-\", \"3R\", \"-\", \"-\", \"M\"]");
    at("turn: 6; half: union; phase: offence", "crawford 0514; thomas 0515; early 1515"); /* 15-19 is the sixth column */
    attack("0515", "crawford");
    play("roll 1");
    assert_strength("thomas", 12);
    assert_decision("retreat");
}

RULE(test_an_edited_star_is_played) {
    edited("historical.yaml", "stars: [\"0708\"", "stars: [\"0515\"");
    at("turn: 6; half: confederate", "crawford 0515; garnett 1901; jackson 1901");
    wait_for_side("pick", LR_UNION);
    assert_score(2);
    at("turn: 6; half: confederate", "crawford 0708; garnett 1901; jackson 1901");
    wait_for_side("pick", LR_UNION);
    assert_score(0);
}

RULE(test_an_edited_strength_is_played) {
    edited("units.yaml", "strength: 17, back: 8", "strength: 30, back: 8");
    begin();
    assert_strength("crawford", 30);
}

RULE(test_an_edited_allowance_is_played) {
    edited("charts.yaml", "infantry: 6", "infantry: 1");
    at("turn: 6; half: union", "crawford 0515 8; banks 0515; garnett 1901");
    play("pick crawford");
    assert_choices("to", "0414 0415 0514 0516 0614 0615");
}

RULE(test_an_edited_map_is_played) {
    edited("map.yaml", "\"..w..........~.....\"", "\"..ww.........~.....\""); /* 0414 becomes woods */
    at("turn: 6; half: union", "crawford 0515 8; banks 0515; garnett 1901");
    play("pick crawford; to 0414");
    assert_int_equal(inside()->spent, 4);
}

RULE(test_a_move_costs_what_its_own_map_says) {
    edited("map.yaml", "\"..w..........~.....\"", "\"..ww.........~.....\""); /* 0414 becomes woods */
    at("turn: 6; half: union", "crawford 0515 8; banks 0515; garnett 1901");
    play("pick crawford");
    const int action = lr_action_parse(game(), state(), "to 0414", NULL);
    uint16_t legal[LR_MAX_ACTIONS];
    lr_legal(game_of(HISTORICAL), state(), legal); /* the same bytes of a game with another map */
    lr_apply_legal(game(), state(), action);
    assert_int_equal(inside()->spent, 4);
}

RULE(test_an_edited_retreat_hex_is_played) {
    edited("historical.yaml", "{side: confederate, hex: \"0115\"}", "{side: confederate, hex: \"0520\"}");
    at("turn: 6; half: union; phase: offence", "crawford 0514; thomas 0515; early 1515");
    attack("0515", "crawford");
    play("roll 10");
    go_back();
    assert_hex("thomas", "0517");
}

RULE(test_3_1_map_and_turn_track) {
    static const char *const clock[] = {"15.00", "15.40", "16.20", "17.00", "17.40", "18.20", "19.00", "19.40", "20.20"};
    const struct brigade *b = game_of(FREE)->rules;
    assert_int_equal(b->columns, 19);
    assert_int_equal(b->map_rows, 20);
    for (int t = 1; t <= 9; t++) assert_string_equal(b->clock[t], clock[t - 1]);
}

RULE(test_ruling_1_nothing_but_the_pond_is_prohibited) {
    const struct brigade *b = game()->rules;
    for (int column = 1; column <= 19; column++)
        for (int row = 1; row <= 20; row++) {
            char hex[32];
            snprintf(hex, sizeof hex, "%02d%02d", column, row);
            const int cell = brigade_cell(b, hex);
            assert_int_equal(b->terrains[b->terrain[cell]].prohibited, !strcmp(hex, "1414"));
        }
}

RULE(test_ruling_43_a_leader_in_the_first_row_goes_along_too) {
    static const char banks[] = "{name: \"Banks\", side: union, type: leader, division: \"Corps\", superior: \"\", "
                                "name_basis: reconstructed,";
    static const char crawford[] = "{name: \"Crawford\", side: union, type: infantry, division: \"Williams\", superior: \"Banks\", "
                                   "strength: 17, back: 8, morale: black, name_basis: rulebook, basis: source,";
    copy_folder();
    replace("units.yaml", banks, crawford);
    replace("units.yaml", crawford, banks);
    take_edited();
    assert_int_equal(row_of("banks"), 0);
    at("turn: 6; half: confederate; phase: offence", "banks 1515; crawford 1515; early 1516; thomas 0101");
    attack("1515", "early");
    play("roll 10; roll 1; retreat 1614; retreat 1613");
    assert_hex("crawford", "1613");
    assert_hex("banks", "1613");
}

RULE(test_9_8_1_no_hex_is_entered_twice_all_round_the_retreat_hex) {
    /* Crawford holds the retreat hex, and all hexes next to it are in his zone: Thomas may not stop. */
    edited("historical.yaml", "{side: confederate, hex: \"0115\"}", "{side: confederate, hex: \"0515\"}");
    at("turn: 6; half: union; phase: offence", "crawford 0515; thomas 0514; jackson 0514; early 0213; garnett 0813");
    attack("0514", "crawford");
    play("roll 10; roll 6");
    assert_legal("retreat 0414; retreat 0614");
    play("retreat 0614"); /* 0615, 0516, 0415, 0414: not 0514 again */
    assert_hex("thomas", NULL);
    assert_hex("jackson", "0213"); /* nearest to 0414 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_all_four_scenarios_load),
        TEST(test_a_copied_folder_is_the_same_game),
        TEST(test_the_environment_names_the_folder),
        TEST(test_no_such_scenario),
        TEST(test_pieces_and_hexes_that_do_not_exist),
        TEST(test_units_that_cannot_stand_there),
        TEST(test_impossible_strengths),
        TEST(test_rosters_that_cannot_be),
        TEST(test_yaml_faults_name_the_line),
        TEST(test_keys_unknown_missing_or_twice),
        TEST(test_other_rulesets_and_missing_files),
        TEST(test_maps_that_cannot_be),
        TEST(test_charts_that_cannot_be),
        TEST(test_turns_that_cannot_be),
        TEST(test_an_edited_combat_chart_is_played),
        TEST(test_an_edited_star_is_played),
        TEST(test_an_edited_strength_is_played),
        TEST(test_an_edited_allowance_is_played),
        TEST(test_an_edited_map_is_played),
        TEST(test_a_move_costs_what_its_own_map_says),
        TEST(test_an_edited_retreat_hex_is_played),
        TEST(test_3_1_map_and_turn_track),
        TEST(test_ruling_1_nothing_but_the_pond_is_prohibited),
        TEST(test_ruling_43_a_leader_in_the_first_row_goes_along_too),
        TEST(test_9_8_1_no_hex_is_entered_twice_all_round_the_retreat_hex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
