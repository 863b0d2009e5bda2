/* Exit codes, and where a command writes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_CONTEXT_H
#define CONFORMANCE_SUPPORT_CONTEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "conformance/support/strings.h"

/* Part of the interface: scripts and CI depend on them. */
typedef enum conf_exit {
    CONF_EXIT_AGREE = 0,
    CONF_EXIT_DIVERGES = 1,
    CONF_EXIT_USAGE = 2,
    CONF_EXIT_NOTHING = 77,  /* automake's code for a test that was skipped */
    CONF_EXIT_ERROR = 99,    /* automake's code for an error outside the test */
    CONF_EXIT_UNTESTED = 125 /* git bisect run's code for a commit that cannot be tested */
} conf_exit;

/* Where a command writes, and its environment. */
typedef struct conf_context {
    FILE *out, *err;
    bool terminal; /* out is a terminal */
    bool color;    /* out is a terminal that supports colours */
    bool progress; /* out and err are terminals */
    size_t n_processors;
    size_t columns;
    const char *program;      /* how to call this program in a printed command; borrowed */
    conf_strings engine_dirs; /* directories that are searched for engines by name, in order */
    char *fixtures;           /* the directory of the bundled cases, which need not exist */
    const char *(*variable)(const char *name); /* the value of an environment variable that an option names,
                                                * for keys; NULL if it is not set */
} conf_context;

#endif
