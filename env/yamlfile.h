/* yamlfile.h: reads one YAML text from outside into C structs, by a libcyaml schema, with limits and good errors. */
#ifndef LR_YAMLFILE_H
#define LR_YAMLFILE_H

#include <cyaml/cyaml.h>

#include "game.h"

/* Asked about each plain (unquoted) scalar: false, with a sentence, refuses it. */
typedef bool lr_yaml_plain(const char *value, char *what, size_t size);

/* Reads `text` by `schema` (a pointer to a mapping) into *data, which is given back with lr_yaml_free. `file` is
 * named in errors, which have code `code`, say what is wrong and give the line, and the path where there is one.
 * Refuses, before libcyaml sees the text: syntax errors, anchors, aliases and tags, more than one document, duplicate
 * keys, deep nesting, and what `plain` (NULL: nothing) refuses. */
int lr_yaml_read(const char *file, int code, const char *text, size_t length, lr_yaml_plain *plain,
                 const cyaml_schema_value_t *schema, void **data, lr_error *error);
void lr_yaml_free(const cyaml_schema_value_t *schema, void *data);

/* The sentence "FILE: what", in one line whatever bytes the values hold. Returns `code`. */
int lr_yaml_wrong(lr_error *error, int code, const char *file, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int lr_yaml_wrong_list(lr_error *error, int code, const char *file, const char *format, va_list values)
    __attribute__((format(printf, 4, 0)));

#endif
