/* yaml.h: reads one YAML text from outside into C structs, by a libcyaml schema, with limits and good errors.
 * The prefix matters: libyaml exports internal names such as yaml_free. */
#ifndef BRIGADE_YAML_H
#define BRIGADE_YAML_H

#include <cyaml/cyaml.h>

#include "../game.h"

/* Reads `text` by `schema` (a pointer to a mapping) into *data, which is given back with brigade_yaml_free. `file` is
 * named in errors, which have code `code`, say what is wrong and give the line, and the path where there is one.
 * Refuses, before libcyaml sees the text: syntax errors, anchors, aliases and tags, more than one document, duplicate
 * keys, deep nesting, and plain (unquoted) numbers of four digits, which are hexes that lack their quotes. */
int brigade_yaml_read(const char *file, int code, const char *text, size_t length, const cyaml_schema_value_t *schema,
                      void **data, lr_error *error);
void brigade_yaml_free(const cyaml_schema_value_t *schema, void *data);

/* The sentence "FILE: what", in one line whatever bytes the values hold. Returns `code`. */
int brigade_yaml_wrong(lr_error *error, int code, const char *file, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int brigade_yaml_wrong_list(lr_error *error, int code, const char *file, const char *format, va_list values)
    __attribute__((format(printf, 4, 0)));

#endif
