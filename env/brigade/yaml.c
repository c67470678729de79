/* yaml.c: see yaml.h. */
#include "yaml.h"

#include <stdio.h>
#include <string.h>

/* Hexes need their quotes, and libcyaml would take 12abc, 12.5 and 014 for 12. */
static bool whole_and_no_hex(const char *value, char *what, size_t size) {
    const char *digits = value + (*value == '-' || *value == '+');
    const size_t count = strspn(digits, "0123456789");
    if (!count) return true;
    const bool whole = !digits[count] && *value != '+' && (*digits != '0' || count == 1);
    if (count == 4 && !value[4])
        snprintf(what, size, "%s: a hex stands in quotes, \"%s\", and no number here has four digits", value, value);
    else if (whole)
        return true;
    else
        snprintf(what, size, "%.40s: a whole number has nothing but digits and no 0 in front; a text stands in quotes",
                 value);
    return false;
}

int brigade_yaml_read(const char *file, int code, const char *text, size_t length, const cyaml_schema_value_t *schema,
                      void **data, lr_error *error) {
    return lr_yaml_read(file, code, text, length, whole_and_no_hex, schema, data, error);
}
