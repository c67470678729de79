/* read.c: what the readers of a scenario's files share: faults told with file and place, bounds, names, hexes. */
#include "read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int wrong(const struct reader *r, const char *format, ...) {
    va_list values;
    va_start(values, format);
    lr_yaml_wrong_list(r->error, LR_E_SCENARIO, r->file, format, values);
    va_end(values);
    return LR_E_SCENARIO;
}

int in_bounds(const struct reader *r, const struct bound *bounds, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bounds[i].value < bounds[i].low || bounds[i].value > bounds[i].high)
            return wrong(r, "%s: %d is not %d..%d", bounds[i].path, bounds[i].value, bounds[i].low, bounds[i].high);
    return LR_OK;
}

int in_bounds_of(const struct reader *r, const char *list, unsigned index, const struct bound *bounds, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bounds[i].value < bounds[i].low || bounds[i].value > bounds[i].high)
            return wrong(r, "%s[%u].%s: %d is not %d..%d", list, index, bounds[i].path, bounds[i].value, bounds[i].low,
                         bounds[i].high);
    return LR_OK;
}

int take_name(const struct reader *r, char name[BRIGADE_NAME], const char *given, const char *path) {
    const size_t length = strlen(given);
    if (length == 0 || length >= BRIGADE_NAME)
        return wrong(r, "%s: \"%.40s\" has not 1..%d characters", path, given, BRIGADE_NAME - 1);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)given[i] < ' ' || given[i] == 0x7f)
            return wrong(r, "%s: \"%.40s\" holds a control character", path, given);
    memcpy(name, given, length + 1);
    return LR_OK;
}

static bool is_hex(const char *text) { return strlen(text) == 4 && strspn(text, "0123456789") == 4; }

int take_hex(const struct reader *r, uint16_t *cell, const char *hex, const char *path) {
    if (!is_hex(hex)) return wrong(r, "%s: \"%.40s\" is not a hex: four digits in quotes, as \"0708\"", path, hex);
    const int found = brigade_cell(r->b, hex);
    if (found < 0) return wrong(r, "%s: \"%s\" is off the %d x %d map", path, hex, r->b->columns, r->b->map_rows);
    *cell = (uint16_t)found;
    return LR_OK;
}

int take_open_hex(const struct reader *r, uint16_t *cell, const char *hex, const char *path) {
    const int code = take_hex(r, cell, hex, path);
    if (code) return code;
    if (r->b->terrains[r->b->terrain[*cell]].prohibited)
        return wrong(r, "%s: \"%s\" is prohibited terrain (%s)", path, hex, r->b->terrains[r->b->terrain[*cell]].name);
    return LR_OK;
}
