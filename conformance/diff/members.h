/* Members of an observation against those that are expected: names, types, shapes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_MEMBERS_H
#define CONFORMANCE_DIFF_MEMBERS_H

#include "conformance/diff/state.h"

#define CONF_DIFF_NAMES_MAX 256

/* Compares the member `name`, which the observation has, with the types and the shape (as conf_shape_print
 * prints it) that are expected. mismatch: how it differs; empty where it fits. Fails where it cannot be read.
 */
assay_status conf_diff_member_compare(const conf_diff_state *d, const char *name, conf_h5_types types,
                                      const char *shape, char mismatch[CONF_TEXT_MAX], assay_error *err);

/* The same; a member that does not fit fails d->v. */
assay_status conf_diff_member_check(const conf_diff_state *d, const char *name, conf_h5_types types,
                                    const char *shape, bool *fits, assay_error *err);

/* Writes "embed, norm and 7 more": the first of the names of a that b lacks; empty where there are none. Both
 * are sorted bytewise. Returns how many there are. */
size_t conf_diff_names_lacking(char text[CONF_DIFF_NAMES_MAX], const conf_strings *a, const conf_strings *b);

#endif
