/* Searching between two positions of a text, as the optional arguments of Python's methods give them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_SEARCH_H
#define TEMPLATE_VALUES_SEARCH_H

#include "template/values/value.h"

/* The part of a text that is searched. */
typedef struct tpl_window {
    assay_text text;
    size_t n_before; /* characters before it */
    bool is_none;    /* it would begin after its end: nothing is found, not even the empty text */
} tpl_window;

/* Characters [start, end) of a text, where negative positions count from its end; each may be none or
 * missing. */
tpl_window tpl_window_of(tpl *t, assay_text text, tpl_value start, tpl_value end);

/* An optional index of a method, whose negative values count from the end of n elements: 0 … n. */
size_t tpl_bound(tpl *t, tpl_value v, size_t n, size_t missing);

bool tpl_window_has_affix(const tpl_window *window, assay_text affix, bool starts);

/* The position of the first or last occurrence in the whole text, or -1. */
int64_t tpl_window_find(tpl *t, const tpl_window *window, assay_text needle, bool last);
int64_t tpl_window_count(tpl *t, const tpl_window *window, assay_text needle);

#endif
