/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"

void conf_strings_free(conf_strings *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->n; i++) free(s->at[i]);
    free(s->at);
    *s = (conf_strings){0};
}

bool conf_strings_take(conf_strings *s, char *text)
{
    char **grown = text ? grow_by_one(s->at, s->n, sizeof *grown) : NULL;
    if (!grown) {
        free(text);
        return false;
    }
    s->at = grown;
    s->at[s->n++] = text;
    return true;
}

bool conf_strings_add(conf_strings *s, const char *text)
{
    return conf_strings_take(s, strdup(text));
}

bool conf_names_hold(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0) return true;
    return false;
}

assay_status conf_strings_note(const conf_strings *names, const char *prefix, const char *const *known,
                               conf_strings *unknown, assay_error *err)
{
    for (size_t i = 0; i < names->n; i++) {
        char *text = NULL;
        if (conf_names_hold(known, names->at[i])) continue;
        const bool added =
            asprintf(&text, "%s%s", prefix, names->at[i]) >= 0 && conf_strings_add(unknown, text);
        free(text);
        if (!added) return assay_fail(err, ASSAY_ENOMEM, "%s%s: out of memory", prefix, names->at[i]);
    }
    return ASSAY_OK;
}
