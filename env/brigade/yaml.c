/* yaml.c: see yaml.h. */
#include "yaml.h"

#include <stdio.h>
#include <string.h>

static bool no_bare_hex(const char *value, char *what, size_t size) {
    if (strlen(value) != 4 || strspn(value, "0123456789") != 4) return true;
    snprintf(what, size, "%s: a hex stands in quotes, \"%s\", and no number here has four digits", value, value);
    return false;
}

int brigade_yaml_read(const char *file, int code, const char *text, size_t length, const cyaml_schema_value_t *schema,
                      void **data, lr_error *error) {
    return lr_yaml_read(file, code, text, length, no_bare_hex, schema, data, error);
}
