/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/search.h"

#include <string.h>

#include "template/values/integer.h"
#include "template/values/strings.h"

/* Not limited to n, as the start of a search is not. */
static int64_t position(tpl *t, tpl_value v, size_t n, int64_t missing)
{
    if (v.kind == TPL_MISSING || v.kind == TPL_NONE) return missing;
    if (!tpl_is_integer(v)) {
        (void)tpl_fail_type(t, v, "a position, which is an integer or none");
        return missing;
    }
    const int64_t i = tpl_index(v);
    if (i >= 0) return i;
    return i < -(int64_t)n ? 0 : i + (int64_t)n;
}

size_t tpl_bound(tpl *t, tpl_value v, size_t n, size_t missing)
{
    if (v.kind == TPL_NONE) (void)tpl_fail_type(t, v, "a position, which is an integer");
    const int64_t i = position(t, v, n, (int64_t)missing);
    return i > (int64_t)n ? n : (size_t)i;
}

tpl_window tpl_window_of(tpl *t, assay_text text, tpl_value start, tpl_value end)
{
    const size_t n = tpl_length(text);
    const int64_t from = position(t, start, n, 0);
    int64_t to = position(t, end, n, (int64_t)n);
    if (to > (int64_t)n) to = (int64_t)n;
    if (from > to || !tpl_step(t, text.n / 64)) return (tpl_window){.is_none = true};
    const size_t at = tpl_offset(text, (size_t)from), after = tpl_offset(text, (size_t)to);
    return (tpl_window){.text = {.at = text.at + at, .n = after - at}, .n_before = (size_t)from};
}

bool tpl_window_has_affix(const tpl_window *window, assay_text affix, bool starts)
{
    const assay_text text = window->text;
    if (window->is_none || affix.n > text.n) return false;
    return affix.n == 0 || memcmp(starts ? text.at : text.at + text.n - affix.n, affix.at, affix.n) == 0;
}

int64_t tpl_window_find(tpl *t, const tpl_window *window, assay_text needle, bool last)
{
    const assay_text text = window->text;
    if (window->is_none) return -1;
    const size_t found = last ? tpl_find_last(t, text, needle, text.n) : tpl_find(t, text, needle, 0);
    if (found == SIZE_MAX) return -1;
    return (int64_t)(window->n_before + tpl_length((assay_text){.at = text.at, .n = found}));
}

int64_t tpl_window_count(tpl *t, const tpl_window *window, assay_text needle)
{
    int64_t n = 0;
    if (window->is_none) return 0;
    if (needle.n == 0) return (int64_t)tpl_length(window->text) + 1;
    for (size_t from = 0; (from = tpl_find(t, window->text, needle, from)) != SIZE_MAX; from += needle.n) n++;
    return n;
}
