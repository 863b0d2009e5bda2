/* Opens the serving table of a module. It is checked before any call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_SERVING_H
#define CONFORMANCE_ABI_SERVING_H

#include <assay/serving.h>

#include <stdbool.h>

#include "conformance/judge/verdict.h"

/* Loads a module for the rest of the process. Members that its table lacks are NULL in *out. Fails with
 * ASSAY_EIO if the module cannot be loaded, ASSAY_EUNSUPPORTED if it exports no serving table,
 * ASSAY_EFORMAT if the table is not of this ABI. */
assay_status conf_serving_open(const char *path, const assay_serving **out, assay_error *err);

/* Whether a module can be loaded and exports a serving table, but no engine. */
bool conf_serving_is_standalone(const char *path);

/* Groups of members that a module must offer together. */
typedef enum conf_serving_part {
    CONF_SERVING_STOP_SET,
    CONF_SERVING_REPLY,
    CONF_SERVING_TOKENIZER,
    CONF_SERVING_DETOKENIZER,
    CONF_SERVING_COMPLETION,
    CONF_SERVING_RESPONSE,
    CONF_SERVING_TEMPLATE,
    CONF_SERVING_IMAGE_SIZE,
    CONF_SERVING_SOUND_SIZE
} conf_serving_part;

/* Whether all members of a part are non-NULL; otherwise *lacks is set to the name of the first that is
 * NULL. */
bool conf_serving_has(const assay_serving *serving, conf_serving_part part, const char **lacks);

/* Opens the serving table of a module, for conf_textual.open. Returns NULL if the table cannot be
 * opened or lacks members of `part`; *v is then CONF_SKIPPED or CONF_BROKEN with the reason. */
const assay_serving *conf_serving_offered(const char *module, conf_serving_part part, conf_verdict *v);

/* The serving table of an engine's module, or Assay's own if the module exports none. It has all of
 * parts[0..n). Fails as conf_serving_open does, and with ASSAY_EUNSUPPORTED if the table lacks one. */
assay_status conf_serving_choose(const char *engine, const conf_serving_part *parts, size_t n,
                                 const assay_serving **out, assay_error *err);

#endif
