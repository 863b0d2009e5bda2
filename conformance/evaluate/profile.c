/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/profile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/shown.h"
#include "conformance/case/rows.h"
#include "conformance/evaluate/deadline.h"
#include "conformance/evaluate/logits.h"
#include "conformance/evaluate/tensors.h"
#include "conformance/judge/logits.h"
#include "conformance/replay/replay.h"

const double conf_profile_sizes[CONF_PROFILE_SIZES] = {0.01, 0.1, 0.25, 0.5, 1, 10, 1000, INFINITY};

const char *const conf_profiled_names[CONF_N_PROFILED] = {
    [CONF_PROFILE_LOGITS] = "logits", [CONF_PROFILE_ROPE] = "rope", [CONF_PROFILE_POSITIONS] = "positions"};

size_t conf_profile_size_of(double multiple)
{
    size_t at = 0;
    while (at < CONF_PROFILE_SIZES - 1 && !(multiple <= conf_profile_sizes[at])) at++;
    return at;
}

void conf_profile_size_print(char *text, size_t size, size_t range)
{
    const double end = conf_profile_sizes[range];
    if (isfinite(end))
        (void)snprintf(text, size, "%s≤ %g%s", end > 1 ? "! " : "", end, end == 1 ? " (bound)" : "");
    else (void)snprintf(text, size, "! > %g", conf_profile_sizes[range - 1]);
}

bool conf_profile_applies(const conf_verdict *v)
{
    return v->outcome == CONF_FAILED &&
           (v->class == CONF_CLASS_LOGITS || v->class == CONF_CLASS_MASK || v->class == CONF_CLASS_TENSOR ||
            v->class == CONF_CLASS_TOKENS || v->class == CONF_CLASS_ROPE);
}

conf_profile *conf_profile_share(size_t n)
{
    void *p = mmap(NULL, n * sizeof(conf_profile), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void conf_profile_unshare(conf_profile *profiles, size_t n)
{
    if (profiles) (void)munmap(profiles, n * sizeof *profiles);
}

static void limit_multiple(double *multiple)
{
    if (!(*multiple >= 0)) *multiple = INFINITY;
}

/* Also brings the names into the form in which they are shown. */
static void limit_errors(conf_profile_error *errors, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        errors[i].name[CONF_PROFILE_NAME_MAX - 1] = '\0';
        shown_clean(errors[i].name, sizeof errors[i].name);
        limit_multiple(&errors[i].multiple);
    }
}

/* Any other byte than 0 and 1 is no bool. */
static void limit_flag(bool *flag)
{
    unsigned char byte;
    memcpy(&byte, flag, 1);
    *flag = byte != 0;
}

void conf_profile_limit(conf_profile *p)
{
    if (p->n_tensors > CONF_PROFILE_TENSORS_MAX) p->n_tensors = 0;
    if (p->n_rows > CONF_PROFILE_ROWS_MAX) p->n_rows = 0;
    if (p->n_manners > CONF_PROFILE_MANNERS_MAX) p->n_manners = 0;
    if ((size_t)p->of >= CONF_N_PROFILED) p->of = CONF_PROFILE_LOGITS;
    if ((size_t)p->manner >= CONF_N_MANNERS) p->manner = CONF_MANNER_WHOLE;
    limit_errors(p->tensors, p->n_tensors);
    limit_errors(p->manners, p->n_manners);
    limit_flag(&p->has_recorded);
    limit_flag(&p->is_observed);
    limit_flag(&p->is_relative);
    for (size_t i = 0; i < p->n_rows; i++) {
        limit_flag(&p->rows[i].decode);
        limit_multiple(&p->rows[i].multiple);
    }
    for (size_t i = 0; i < CONF_PROFILE_SIZES; i++) {
        if (p->found[i] > INT64_MAX) p->found[i] = 0;
        if (p->recorded[i] > INT64_MAX) p->recorded[i] = 0;
    }
}

void conf_profile_add(conf_profile_error *list, size_t *n, size_t most, const char *name, double multiple)
{
    if (*n == most) return;
    (void)snprintf(list[*n].name, sizeof list[*n].name, "%s", name);
    list[(*n)++].multiple = multiple;
}

static void add_tensors(const conf_replay *r, conf_profile *p)
{
    for (size_t i = 0; i < r->n_seen; i++)
        conf_profile_add(p->tensors, &p->n_tensors, CONF_PROFILE_TENSORS_MAX, r->seen[i].trace->name,
                         conf_traced_multiple(r, &r->seen[i]));
}

/* The largest measure of a row, in multiples of its bound. */
static double multiple_of(const conf_rows *rows, const double *all, size_t row, const conf_bounds *b)
{
    const conf_row truth = conf_row_of_double(rows->truth + row * rows->n_cols),
                   found = conf_row_of_double(all + row * rows->n_cols);
    const conf_distance d = conf_row_distance(&truth, &found, rows->n_cols);
    if (!d.same_mask) return INFINITY;
    return fmax(d.max_abs / b->max_abs, fmax(d.rmse / b->rmse, d.kl / b->kl)) / b->limit;
}

/* wanted NULL: the rows [n] all count. */
static double largest_of(const conf_replay *r, const double *all, const bool *wanted, size_t n,
                         const conf_bounds *b)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        if (!wanted || wanted[i]) largest = fmax(largest, multiple_of(&r->c->decoder.rows, all, i, b));
    return largest;
}

void conf_profile_add_row(conf_profile *p, uint32_t sample, uint32_t pos, double multiple)
{
    if (p->n_rows == CONF_PROFILE_ROWS_MAX) return;
    p->rows[p->n_rows].sample = sample;
    p->rows[p->n_rows].pos = pos;
    p->rows[p->n_rows++].multiple = multiple;
}

void conf_profile_count(const conf_row *truth, const conf_row *found, size_t n, double bound,
                        size_t counts[CONF_PROFILE_SIZES])
{
    for (size_t i = 0; i < n; i++) {
        const double t = conf_row_at(truth, i), f = conf_row_at(found, i);
        const bool same = f == t || (isnan(f) && isnan(t));
        counts[conf_profile_size_of(same ? 0 : fabs(f - t) / bound)]++;
    }
}

static void add_rows(const conf_replay *r, const conf_bounds *b, conf_profile *p)
{
    const conf_rows *rows = &r->c->decoder.rows;
    const double *run = r->verdict->float64 ? NULL : conf_rows_noise(rows, r->verdict->compute);
    const double bound = b->max_abs * b->limit;
    p->n_rows = 0;
    p->has_recorded = run != NULL;
    for (size_t i = 0; i < rows->n_rows; i++) {
        const size_t at = i * rows->n_cols;
        if (!r->wanted[i]) continue;
        const conf_row truth = conf_row_of_double(rows->truth + at), found = conf_row_of_double(r->rows + at);
        conf_profile_count(&truth, &found, rows->n_cols, bound, p->found);
        if (run) {
            const conf_row recorded = conf_row_of_double(run + at);
            conf_profile_count(&truth, &recorded, rows->n_cols, bound, p->recorded);
        }
        if (p->n_rows == CONF_PROFILE_ROWS_MAX) continue;
        p->rows[p->n_rows].sample = (uint32_t)rows->place[i].sample;
        p->rows[p->n_rows].pos = (uint32_t)rows->place[i].pos;
        p->rows[p->n_rows].decode = rows->place[i].decode;
        p->rows[p->n_rows++].multiple = multiple_of(rows, r->rows, i, b);
    }
}

static void add_manner(conf_replay *r, const conf_bounds *b, conf_manner manner, conf_profile *p)
{
    if (manner == p->manner) add_rows(r, b, p);
    conf_profile_add(p->manners, &p->n_manners, CONF_PROFILE_MANNERS_MAX, conf_manner_of(manner)->name,
                     largest_of(r, r->rows, r->wanted, r->c->decoder.rows.n_rows, b));
}

/* A run that is asked for one manner, or draws one, evaluates the whole and that one; the one that fails is
 * known. */
static bool is_evaluated(const conf_assignment *a, conf_manner manner)
{
    return manner == a->profile->manner || (!a->manner && !a->seed);
}

void conf_profile_collect(conf_replay *r, const conf_bounds *bounds, const conf_assignment *a)
{
    conf_verdict *v = r->verdict;
    conf_profile *p = a->profile;
    add_tensors(r, p);
    if (!r->rows || v->outcome != CONF_PASSED) return;
    add_manner(r, bounds, CONF_MANNER_WHOLE, p);
    if (r->again && r->generated)
        conf_profile_add(p->manners, &p->n_manners, CONF_PROFILE_MANNERS_MAX, "whole, session used before",
                         largest_of(r, r->again, NULL, conf_rows_of_prefill(&r->c->decoder), bounds));
    for (conf_manner m = CONF_MANNER_WHOLE + 1; m < CONF_N_MANNERS; m++) {
        const char *skipped;
        char text[CONF_TEXT_MAX];
        if (!is_evaluated(a, m)) continue;
        conf_evaluate_allow(v, &a->limits);
        if (!conf_replay_manner(r, m, &skipped, text)) {
            if (v->outcome != CONF_SKIPPED) return;
            conf_verdict_set(v, CONF_PASSED, "%s", ""); /* refused: another manner may not be */
        } else if (!skipped) {
            add_manner(r, bounds, m, p);
        }
    }
}
