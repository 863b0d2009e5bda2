/* The table of assay run --explain: what one module exports, and what that unlocks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CLI_EXPLAIN_MODULE_H
#define CONFORMANCE_CLI_EXPLAIN_MODULE_H

#include <assay/status.h>

#include <stdio.h>

#include "conformance/case/case.h"

/* Optional inputs of an engine that a case may use. */
typedef enum conf_use {
    CONF_USE_LIMIT, /* of the cache capacity */
    CONF_USE_ITEMS, /* inputs besides tokens */
    CONF_USE_BF16,  /* a recorded run in bfloat16 */
    CONF_USE_INT8,
    CONF_N_USES
} conf_use;

/* The cases that an engine may be judged by. */
typedef struct conf_explain_cases {
    size_t of_kind[CONF_N_KINDS];
    size_t using[CONF_N_USES];
} conf_explain_cases;

/* Whether a case uses the input. */
bool conf_explain_uses(const conf_case *c, conf_use use);

typedef struct conf_explain_module {
    const char *name, *path; /* as the user named it; its file */
    size_t columns;          /* lines are wrapped to this width; 0: they are not */
    conf_explain_cases cases;
} conf_explain_module;

/* Loads the module and prints its table; to be run in a process of its own (conf_describe_fn). context: a
 * conf_explain_module. Fails with ASSAY_EIO, ASSAY_EFORMAT or ASSAY_EUNSUPPORTED if it exports none of the
 * three tables, or one that is not valid. */
assay_status conf_explain_module_print(const void *context, FILE *out, assay_error *err);

#endif
