/* Members that several methods of quantisation have.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FORMATS_SETTINGS_H
#define MODEL_FORMATS_SETTINGS_H

#include "model/checkpoint/config.h"

/* The number of the first of texts[0 … n - 1] that the member equals; 0 as well where it is absent or null.
 * Fails with ASSAY_EUNSUPPORTED, naming them, if it is another text. */
size_t setting_choice(config *c, const char *name, const char *const *texts, size_t n);

/* The same of texts in place; and where only the check matters. */
#define SETTING_CHOICE(c, name, ...)                                                                         \
    (setting_choice(c, name, (const char *const[]){__VA_ARGS__},                                             \
                    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

#define SETTING_EXPECT(c, name, ...) ((void)SETTING_CHOICE(c, name, __VA_ARGS__))

/* A group size: a positive integer; -1, null and, with fallback 0, no member: all of a row, 0. */
size_t setting_group(config *c, const char *name, size_t fallback);

/* Marks members as read that do not change what is stored. */
void setting_ignore(config *c, const char *const *names, size_t n);

/* The same of members by which tools of GPTQ and AWQ say how codes were found, and how to compute with them.
 */
void setting_ignore_search(config *c);

#endif
