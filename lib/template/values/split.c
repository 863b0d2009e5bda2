/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/split.h"

#include "base/utf8.h"
#include "template/values/strings.h"

/* str.split without a separator: words between white space. */
static void split_words(tpl *t, assay_text text, int64_t most, tpl_value list)
{
    text = tpl_strip_left(text);
    while (text.n > 0 && t->status == ASSAY_OK) {
        size_t n = 0;
        if (most-- == 0) {
            tpl_list_add(t, list, tpl_text(text.at, text.n));
            return;
        }
        while (n < text.n && tpl_space_prefix((assay_text){.at = text.at + n, .n = text.n - n}) == 0) {
            uint32_t c;
            n += utf8_decode(text.at + n, text.n - n, &c, NULL);
        }
        tpl_list_add(t, list, tpl_text(text.at, n));
        text = tpl_strip_left((assay_text){.at = text.at + n, .n = text.n - n});
    }
}

static tpl_value reversed_list(tpl *t, tpl_value list)
{
    tpl_value out = tpl_list_new(t, TPL_PLAIN);
    for (size_t i = list.kind == TPL_LIST ? list.list->n : 0; i-- > 0;)
        tpl_list_add(t, out, list.list->items[i]);
    return out;
}

/* str.rsplit without a separator, the words from the last one. */
static tpl_value split_last_words(tpl *t, assay_text text, int64_t most)
{
    tpl_value list = tpl_list_new(t, TPL_PLAIN);
    text = tpl_strip_right(text);
    while (text.n > 0 && t->status == ASSAY_OK) {
        size_t from = text.n;
        uint32_t c;
        if (most-- == 0) {
            tpl_list_add(t, list, tpl_text(text.at, text.n));
            break;
        }
        while (from > 0) {
            const size_t before = utf8_before(text.at, from);
            (void)utf8_decode(text.at + before, text.n - before, &c, NULL);
            if (tpl_space_prefix((assay_text){.at = text.at + before, .n = text.n - before}) > 0) break;
            from = before;
        }
        tpl_list_add(t, list, tpl_text(text.at + from, text.n - from));
        text = tpl_strip_right((assay_text){.at = text.at, .n = from});
    }
    return reversed_list(t, list);
}

tpl_value tpl_split(tpl *t, assay_text text, const assay_text *by, int64_t most, bool last)
{
    tpl_value list = tpl_list_new(t, TPL_PLAIN);
    if (most < 0) most = -1;
    if (!by && last) return split_last_words(t, text, most);
    if (!by) {
        split_words(t, text, most, list);
        return list;
    }
    if (by->n == 0) (void)tpl_fail(t, ASSAY_EFORMAT, "split: found an empty separator");
    while (most-- != 0 && t->status == ASSAY_OK) {
        const size_t found = last ? tpl_find_last(t, text, *by, text.n) : tpl_find(t, text, *by, 0);
        if (found == SIZE_MAX) break;
        const size_t after = found + by->n;
        if (last) {
            tpl_list_add(t, list, tpl_text(text.at + after, text.n - after));
            text.n = found;
        } else {
            tpl_list_add(t, list, tpl_text(text.at, found));
            text.at += after, text.n -= after;
        }
    }
    tpl_list_add(t, list, tpl_text(text.at, text.n));
    return last ? reversed_list(t, list) : list;
}

tpl_value tpl_split_lines(tpl *t, assay_text text, bool keep_ends)
{
    tpl_value list = tpl_list_new(t, TPL_PLAIN);
    size_t from = 0, n;
    for (size_t at = 0; at < text.n && t->status == ASSAY_OK; at += n) {
        uint32_t c;
        n = utf8_decode(text.at + at, text.n - at, &c, NULL);
        const bool ends =
            (c >= 0x0a && c <= 0x0d) || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 || c == 0x2029;
        if (!ends) continue;
        if (c == '\r' && at + 1 < text.n && text.at[at + 1] == '\n') n = 2;
        tpl_list_add(t, list, tpl_text(text.at + from, (keep_ends ? at + n : at) - from));
        from = at + n;
    }
    if (from < text.n) tpl_list_add(t, list, tpl_text(text.at + from, text.n - from));
    return list;
}
