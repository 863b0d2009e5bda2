/* Growable arrays of strings.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_STRINGS_H
#define CONFORMANCE_SUPPORT_STRINGS_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct conf_strings {
    size_t n;
    char **at; /* [n], owned */
} conf_strings;

void conf_strings_free(conf_strings *s);

/* Appends a copy of `text`. Returns false, with *s unchanged, if it runs out of memory. */
bool conf_strings_add(conf_strings *s, const char *text);

/* Appends `text` itself, which the array then owns. Returns false if it runs out of memory, and if text is
 * NULL; *s is unchanged then, and text has been freed. */
bool conf_strings_take(conf_strings *s, char *text);

/* Whether `names` (NULL-terminated) contains `name`. */
bool conf_names_hold(const char *const *names, const char *name);

/* Appends to *unknown prefix and name for each of `names` that is not in `known` (NULL-terminated), for a
 * warning about unknown members. Fails with ASSAY_ENOMEM. */
assay_status conf_strings_note(const conf_strings *names, const char *prefix, const char *const *known,
                               conf_strings *unknown, assay_error *err);

#endif
