/* str.split, str.rsplit and str.splitlines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_SPLIT_H
#define TEMPLATE_VALUES_SPLIT_H

#include "template/values/value.h"

/* A list of the parts of text between separators, at most `most` + 1 of them; most < 0: all. by NULL: the
 * words between white space. last: separators are counted from the end. */
tpl_value tpl_split(tpl *t, assay_text text, const assay_text *by, int64_t most, bool last);

/* A list of its lines. */
tpl_value tpl_split_lines(tpl *t, assay_text text, bool keep_ends);

#endif
