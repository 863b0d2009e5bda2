/* Which modules of a checkpoint are quantised, and how: rules on their paths, read from quantization_config.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FORMATS_RULES_H
#define MODEL_FORMATS_RULES_H

#include "model/checkpoint/config.h"
#include "model/formats/format.h"

/* How the text of a rule is compared with a path. */
typedef enum rule_match {
    RULE_PATH,       /* equal */
    RULE_PART,       /* the text occurs in the path */
    RULE_PUBLISHED,  /* as transformers' should_convert_module: a regular expression at the start, or the
                        path's end */
    RULE_WILDCARD,   /* fnmatch: * and ? */
    RULE_EXPRESSION, /* a regular expression that matches at the start of the path */
    RULE_ALL
} rule_match;

typedef struct rule {
    rule_match match;
    char *text;
    void *expression; /* compiled; of RULE_EXPRESSION and RULE_PUBLISHED */
    format_module module;
} rule;

typedef struct rules {
    rule *rule; /* [n]; the first that matches holds */
    size_t n;
    const char *method;    /* quant_method, borrowed; NULL: none, or MLX's */
    bool has_cache_scales; /* scales of narrowed caches may be stored beside the modules of keys and values */
} rules;

/* Appends a rule; the text is copied. A text that is no regular expression is a failure of the config's
 * `member`. */
void rules_add(rules *all, config *c, const char *member, rule_match match, const char *text,
               const format_module *module);

/* Appends a rule for each string of the member, an array of strings or null; nothing where it is absent. */
void rules_add_list(rules *all, config *c, const char *member, rule_match match, const format_module *module);

/* How the module of that path is stored; plain numbers if no rule matches. */
format_module rules_find(const rules *all, const char *path);

/* Whether some matrices are quantised. */
bool rules_any(const rules *all);

void rules_free(rules *all);

#endif
