/* Opens the serving table of a module. It is checked before any call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_SERVING_H
#define CONFORMANCE_ABI_SERVING_H

#include <assay/serving.h>

#include <stdbool.h>

#include "conformance/judge/verdict.h"

/* Loads a module for the rest of the process. Members that it does not have are NULL. ASSAY_EIO where it
 * cannot be loaded, ASSAY_EUNSUPPORTED where it exports no table, ASSAY_EFORMAT where that is not one of this
 * ABI. */
assay_status conf_serving_open(const char *path, const assay_serving **out, assay_error *err);

/* Whether a module can be loaded and exports a table for serving, but no engine. */
bool conf_serving_stands_alone(const char *path);

/* The groups of members that stand or fall together. */
typedef enum conf_serving_part {
    CONF_SERVING_STOP_SET,
    CONF_SERVING_REPLY,
    CONF_SERVING_TOKENIZER,
    CONF_SERVING_DETOKENIZER,
    CONF_SERVING_COMPLETION,
    CONF_SERVING_RESPONSE
} conf_serving_part;

/* Whether it has all members of this part; *lacks is set to the name of the first that is NULL. */
bool conf_serving_has(const assay_serving *serving, conf_serving_part part, const char **lacks);

/* conf_serving_open for conf_textual.open: NULL where the module offers nothing of this part, and *v says
 * why.
 */
const assay_serving *conf_serving_offered(const char *module, conf_serving_part part, conf_verdict *v);

#endif
