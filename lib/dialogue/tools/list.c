/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/list.h"

#include <string.h>

bool serve_list_find_end(serve_tools *t, assay_text text, size_t begin)
{
    if (t->scan.seen < begin) t->scan.seen = begin;
    if (serve_json_balance_run(&t->scan.balance, text, &t->scan.seen)) return true;
    serve_tools_wait_for(t, text, serve_json_balance_in_text(&t->scan.balance) ? "\"\\" : NULL);
    return false;
}

/* Appends SERVE_N_MEMBERS values for each element. */
static void add_values(void *all, const assay_text *values)
{
    buffer_append(all, (const char *)values, SERVE_N_MEMBERS * sizeof *values);
}

serve_list serve_list_read(serve_tools *t, assay_text list, const serve_tools_members *members)
{
    const size_t n_calls = t->n_calls;
    const char *names[SERVE_N_MEMBERS];
    assay_text values[SERVE_N_MEMBERS];
    buffer all = {0};
    serve_tools_member_names(members, names);
    const assay_status rc = serve_json_elements_members(list, names, SERVE_N_MEMBERS, add_values, &all);
    t->failed |= rc == ASSAY_ENOMEM || all.failed;
    for (size_t at = 0; rc == ASSAY_OK && !t->failed && at < all.n; at += sizeof values) {
        memcpy(values, all.data + at, sizeof values);
        serve_tools_call_members(t, values, members);
    }
    const bool empty = all.n == 0;
    buffer_free(&all);
    if (rc != ASSAY_OK) return SERVE_LIST_NONE;
    if (empty) return SERVE_LIST_EMPTY;
    return t->n_calls > n_calls ? SERVE_LIST_CALLS : SERVE_LIST_UNCALLED;
}
