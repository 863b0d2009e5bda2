/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/tests/made.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "conformance/probe/truth/judge.h"

probe_truth made_truth;
const probe_prompt *made_prompt;
double made_bound;

void made_open(const char *case_path)
{
    const char *srcdir = getenv("top_srcdir");
    char path[4096];
    assay_error err;
    (void)snprintf(path, sizeof path, "%s/fixtures/%s", srcdir ? srcdir : ".", case_path);
    const char *const paths[] = {path};
    ck_assert_msg(probe_truth_read(paths, 1, PROBE_F32, &made_truth, &err) == ASSAY_OK, "%s", err.text);
    made_prompt = &made_truth.prompts[0];
    made_bound = probe_truth_bound(made_prompt, PROBE_F32);
}

void made_setup(void)
{
    made_open("trained/qwen3/turns.h5");
}

void made_teardown(void)
{
    probe_truth_free(&made_truth);
}

double *made_log_softmax(size_t n_before)
{
    double *t = calloc(made_truth.n_vocab, sizeof *t);
    ck_assert_ptr_nonnull(t);
    probe_log_softmax(probe_truth_row(made_prompt, n_before), made_truth.n_vocab, t);
    return t;
}

void made_row(made *m, size_t n_before)
{
    double *t = made_log_softmax(n_before);
    double above = INFINITY;
    *m = (made){0};
    for (size_t k = 0; k < MADE_TOP; k++) {
        size_t best = SIZE_MAX;
        for (size_t v = 0; v < made_truth.n_vocab; v++)
            if (t[v] < above && (best == SIZE_MAX || t[v] > t[best])) best = v;
        m->entries[k] = (probe_entry){.id = (int32_t)best, .value = t[best]};
        above = t[best];
    }
    m->row = (probe_row){.token = m->entries[0], .has_token = true, .top = 0, .n_top = MADE_TOP};
    m->rows = (probe_rows){.at = &m->row, .n = 1, .entries = m->entries, .n_entries = MADE_TOP};
    free(t);
}
