/* Compares names, types and shapes of an observation's members with the expected ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_MEMBERS_H
#define CONFORMANCE_DIFF_MEMBERS_H

#include "conformance/diff/state.h"

#define CONF_DIFF_NAMES_MAX 256

/* Compares the observation's member `name`, which must exist, with the expected types and the expected
 * shape (as printed by conf_shape_print). mismatch: describes the difference; empty if there is none.
 * Fails if the member cannot be read. */
assay_status conf_diff_member_compare(const conf_diff_state *d, const char *name, conf_h5_types types,
                                      const char *shape, char mismatch[CONF_TEXT_MAX], assay_error *err);

/* Like conf_diff_member_compare, but a mismatch makes the verdict d->v CONF_FAILED. *fits: whether
 * there was no mismatch. */
assay_status conf_diff_member_check(const conf_diff_state *d, const char *name, conf_h5_types types,
                                    const char *shape, bool *fits, assay_error *err);

/* Lists the names in a that b lacks, such as "embed, norm, layer.00.attn, layer.00.mlp and 7 more";
 * empty if there are none. a and b must be sorted bytewise. Returns the number of missing names. */
size_t conf_diff_names_lacking(char text[CONF_DIFF_NAMES_MAX], const conf_strings *a, const conf_strings *b);

#endif
