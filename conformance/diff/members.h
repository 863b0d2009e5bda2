/* Compares names, types and shapes of an observation's members with the expected ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_MEMBERS_H
#define CONFORMANCE_DIFF_MEMBERS_H

#include "conformance/diff/state.h"

#define CONF_DIFF_NAMES_MAX 256

/* Compares the member `name`, which the observation has, with the types and the shape (as
 * conf_shape_print prints it) that are expected. mismatch: the difference; empty if there is none.
 * Fails if the member cannot be read. */
assay_status conf_diff_member_compare(const conf_diff_state *d, const char *name, conf_h5_types types,
                                      const char *shape, char mismatch[CONF_TEXT_MAX], assay_error *err);

/* The same; a mismatch fails d->v. */
assay_status conf_diff_member_check(const conf_diff_state *d, const char *name, conf_h5_types types,
                                    const char *shape, bool *fits, assay_error *err);

/* Writes "embed, norm and 7 more": the first of the names of a that b lacks; empty if there are none.
 * Both are sorted bytewise. Returns their number. */
size_t conf_diff_names_lacking(char text[CONF_DIFF_NAMES_MAX], const conf_strings *a, const conf_strings *b);

#endif
