/* yaml.h: YAML as this ruleset reads it: what env/yamlfile.h does, and hexes must stand in quotes.
 * The prefix matters: libyaml exports internal names such as yaml_free. */
#ifndef BRIGADE_YAML_H
#define BRIGADE_YAML_H

#include "../yamlfile.h"

/* As lr_yaml_read; refuses plain (unquoted) numbers of four digits, which are hexes that lack their quotes. */
int brigade_yaml_read(const char *file, int code, const char *text, size_t length, const cyaml_schema_value_t *schema,
                      void **data, lr_error *error);

#endif
