/* yamlfile.c: see yamlfile.h.
 *
 * Two passes. The first walks libyaml's events, since libcyaml cannot tell a quoted scalar from a plain one, takes
 * the last of two equal keys (and leaks the first), and gives no line where the syntax breaks. The second is libcyaml
 * with a schema; its log tells the path of a fault from the inside out, which is turned round here. */
#include "yamlfile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { DEEPEST = 12, KEYS = 64, SAID = 160, PATH = 160 };

int lr_yaml_wrong_list(lr_error *error, int code, const char *file, const char *format, va_list values) {
    char said[sizeof((lr_error *)0)->text];
    vsnprintf(said, sizeof said, format, values);
    for (char *c = said; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    return lr_fail(error, code, "%s: %s", file, said);
}

int lr_yaml_wrong(lr_error *error, int code, const char *file, const char *format, ...) {
    va_list values;
    va_start(values, format);
    lr_yaml_wrong_list(error, code, file, format, values);
    va_end(values);
    return code;
}

/* ---- First pass -------------------------------------------------------------------------------- */

/* One open mapping or sequence. Keys are kept as copies, so that equal ones are found. */
struct open_node {
    bool mapping, at_value;
    int keys;
    char *key[KEYS];
};

struct walk {
    const char *file, *text;
    size_t length;
    lr_yaml_plain *plain; /* NULL: any plain scalar will do */
    int code;
    lr_error *error;
    struct open_node node[DEEPEST];
    int depth, documents;
};

static int at_line(const struct walk *walk, const yaml_mark_t *mark, const char *what) {
    return lr_yaml_wrong(walk->error, walk->code, walk->file, "line %lu: %s", (unsigned long)mark->line + 1, what);
}

static void forget_keys(struct open_node *node) {
    for (int i = 0; i < node->keys; i++) free(node->key[i]);
    node->keys = 0;
}

static int add_key(struct walk *walk, struct open_node *node, const yaml_event_t *event) {
    const char *key = (const char *)event->data.scalar.value;
    for (int i = 0; i < node->keys; i++)
        if (!strcmp(node->key[i], key))
            return lr_yaml_wrong(walk->error, walk->code, walk->file, "line %lu: key \"%.40s\" stands here twice",
                                 (unsigned long)event->start_mark.line + 1, key);
    if (node->keys == KEYS) return at_line(walk, &event->start_mark, "more keys than any mapping here has");
    node->key[node->keys] = strdup(key);
    if (!node->key[node->keys]) return lr_fail(walk->error, LR_E_MEMORY, "no memory to read %s", walk->file);
    node->keys++;
    return LR_OK;
}

/* Any node tells the mapping around it that its key or value has come. */
static int see_node(struct walk *walk, const yaml_event_t *event) {
    if (walk->depth == 0) return LR_OK;
    struct open_node *around = &walk->node[walk->depth - 1];
    if (!around->mapping) return LR_OK;
    around->at_value = !around->at_value;
    if (!around->at_value) return LR_OK; /* that was the value */
    if (event->type != YAML_SCALAR_EVENT) return at_line(walk, &event->start_mark, "a key must be a plain word");
    return add_key(walk, around, event);
}

static int see_scalar(struct walk *walk, const yaml_event_t *event) {
    const char *value = (const char *)event->data.scalar.value;
    if (strlen(value) != event->data.scalar.length) return at_line(walk, &event->start_mark, "a NUL character");
    char what[SAID];
    if (walk->plain && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !walk->plain(value, what, sizeof what))
        return at_line(walk, &event->start_mark, what);
    return LR_OK;
}

static int see_start(struct walk *walk, const yaml_event_t *event) {
    if (walk->depth == DEEPEST) return at_line(walk, &event->start_mark, "nested too deep");
    struct open_node *node = &walk->node[walk->depth++];
    node->mapping = event->type == YAML_MAPPING_START_EVENT;
    node->at_value = false;
    node->keys = 0;
    return LR_OK;
}

static bool has_tag_or_anchor(const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT: return event->data.scalar.anchor || event->data.scalar.tag;
    case YAML_SEQUENCE_START_EVENT: return event->data.sequence_start.anchor || event->data.sequence_start.tag;
    case YAML_MAPPING_START_EVENT: return event->data.mapping_start.anchor || event->data.mapping_start.tag;
    default: return event->type == YAML_ALIAS_EVENT;
    }
}

static int see(struct walk *walk, const yaml_event_t *event) {
    if (has_tag_or_anchor(event))
        return at_line(walk, &event->start_mark, "aliases, anchors and tags are not used here");
    int code = LR_OK;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return ++walk->documents > 1 ? at_line(walk, &event->start_mark, "a second document") : LR_OK;
    case YAML_SCALAR_EVENT: code = see_node(walk, event); return code ? code : see_scalar(walk, event);
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT: code = see_node(walk, event); return code ? code : see_start(walk, event);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT: forget_keys(&walk->node[--walk->depth]); return LR_OK;
    default: return LR_OK;
    }
}

/* Where the bytes are no UTF-8, libyaml gives their offset and not their line. */
static int tell_problem(struct walk *walk, const yaml_parser_t *parser) {
    yaml_mark_t mark = parser->problem_mark;
    if (parser->error == YAML_READER_ERROR) {
        mark.line = 0;
        for (size_t i = 0; i < parser->problem_offset && i < walk->length; i++) mark.line += walk->text[i] == '\n';
    }
    return at_line(walk, &mark, parser->problem ? parser->problem : "not YAML");
}

static int walk_events(struct walk *walk, yaml_parser_t *parser) {
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            if (parser->error == YAML_MEMORY_ERROR)
                return lr_fail(walk->error, LR_E_MEMORY, "no memory to read %s", walk->file);
            return tell_problem(walk, parser);
        }
        const bool end = event.type == YAML_STREAM_END_EVENT;
        const int code = see(walk, &event);
        yaml_event_delete(&event);
        if (code || end) return code;
    }
}

static int first_pass(const char *file, int code, const char *text, size_t length, lr_yaml_plain *plain,
                      lr_error *error) {
    yaml_parser_t parser;
    struct walk *walk = calloc(1, sizeof *walk);
    if (!walk || !yaml_parser_initialize(&parser)) {
        free(walk);
        return lr_fail(error, LR_E_MEMORY, "no memory to read %s", file);
    }
    walk->file = file, walk->text = text, walk->length = length, walk->plain = plain, walk->code = code,
    walk->error = error;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    int result = walk_events(walk, &parser);
    if (!result && !walk->documents) result = lr_yaml_wrong(error, code, file, "nothing in it");
    while (walk->depth) forget_keys(&walk->node[--walk->depth]);
    yaml_parser_delete(&parser);
    free(walk);
    return result;
}

/* ---- Second pass ------------------------------------------------------------------------------- */

/* What libcyaml's log said: the fault, the path to it, and the line of its innermost place. */
struct said {
    char fault[SAID], path[PATH];
    int line;
};

/* Puts a step in front of the path, which comes from the inside out; what does not fit is left off. */
static void prepend(struct said *said, const char *step) {
    char whole[2 * PATH];
    const char *dot = said->path[0] && said->path[0] != '[' ? "." : "";
    const int length = snprintf(whole, sizeof whole, "%s%s%s", step, dot, said->path);
    if (length > 0 && length < PATH) memcpy(said->path, whole, (size_t)length + 1);
}

/* What follows `words` in the message, NULL if they are not in it. */
static const char *after(const char *message, const char *words) {
    const char *found = strstr(message, words);
    return found ? found + strlen(words) : NULL;
}

static void take_place(struct said *said, const char *message) {
    char step[PATH];
    const char *line = after(message, "(line: ");
    const char *field = after(message, " in mapping field '"), *entry = after(message, " in sequence entry '");
    if (line && !said->line) said->line = (int)strtol(line, NULL, 10);
    if (!field && !entry) return;
    if (field) {
        snprintf(step, sizeof step, "%.*s", (int)strcspn(field, "'"), field);
    } else {
        const unsigned long number = strtoul(entry, NULL, 10);
        snprintf(step, sizeof step, "[%lu]", number ? number - 1 : 0); /* libcyaml counts from 1 */
    }
    prepend(said, step);
}

__attribute__((format(printf, 3, 0))) static void hear(cyaml_log_t level, void *context, const char *format,
                                                       va_list values) {
    (void)level;
    struct said *said = context;
    char message[512];
    vsnprintf(message, sizeof message, format, values);
    message[strcspn(message, "\n")] = 0;
    if (!strncmp(message, "Load: Backtrace", 15)) return;
    if (!strncmp(message, "  in ", 5)) {
        take_place(said, message);
        return;
    }
    const char *fault = strncmp(message, "Load: ", 6) ? message : message + 6;
    if (!said->fault[0]) snprintf(said->fault, sizeof said->fault, "%.150s", fault);
}

static cyaml_config_t config_for(struct said *said) {
    return (cyaml_config_t){
        .log_fn = hear,
        .log_ctx = said,
        .mem_fn = cyaml_mem,
        .log_level = CYAML_LOG_ERROR,
        .flags = CYAML_CFG_NO_ALIAS,
    };
}

int lr_yaml_read(const char *file, int code, const char *text, size_t length, lr_yaml_plain *plain,
                 const cyaml_schema_value_t *schema, void **data, lr_error *error) {
    *data = NULL;
    int result = first_pass(file, code, text, length, plain, error);
    if (result) return result;
    struct said said = {.line = 0};
    const cyaml_config_t config = config_for(&said);
    const cyaml_err_t failed =
        cyaml_load_data((const uint8_t *)text, length, &config, schema, (cyaml_data_t **)data, NULL);
    if (!failed && *data) return LR_OK;
    *data = NULL;
    if (failed == CYAML_ERR_OOM) return lr_fail(error, LR_E_MEMORY, "no memory to read %s", file);
    const char *fault = said.fault[0] ? said.fault : failed ? cyaml_strerror(failed) : "nothing in it";
    if (!said.path[0]) return lr_yaml_wrong(error, code, file, "%s", fault);
    return lr_yaml_wrong(error, code, file, "line %d, %s: %s", said.line, said.path, fault);
}

void lr_yaml_free(const cyaml_schema_value_t *schema, void *data) {
    struct said said = {.line = 0};
    const cyaml_config_t config = config_for(&said);
    cyaml_free(&config, schema, data, 0);
}
