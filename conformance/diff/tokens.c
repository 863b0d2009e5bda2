/* Judges the greedy tokens of an observation, step by step.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/diff/tokens.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/case/row_list.h"
#include "conformance/diff/members.h"
#include "conformance/diff/state.h"
#include "conformance/evaluate/tokens.h"
#include "conformance/hdf5/text.h"
#include "conformance/judge/token.h"
#include "model/checkpoint/stop.h"

typedef struct tokens_state {
    conf_diff_state *d;
    const int64_t *found; /* [B, M] */
    const int32_t *stop_ids;
    size_t n_stop_ids;
    bool forced; /* the golden token was forced after each step */
    size_t n_ties, n_left;
    double *truth, *row; /* [V]: logits of one step; NULL if not recorded */
    void *raw;           /* [V] in the file's type */
} tokens_state;

/* Reads one row of a run as double. */
static assay_status read_row(const tokens_state *s, const conf_h5_rows *run, size_t sample, size_t pos,
                             double *into, assay_error *err)
{
    const conf_rect rect = {.b0 = sample, .b1 = sample + 1, .t0 = pos, .t1 = pos + 1};
    assay_status rc = conf_h5_rows_read(run, &rect, s->raw, err);
    if (rc == ASSAY_OK) dtype_to_f64(into, s->raw, conf_h5_rows_dtype(run), conf_h5_rows_shape(run)[2]);
    return rc;
}

/* Reads the two rows of logits that decide the step, if both files have them. */
static assay_status read_rows(tokens_state *s, size_t b, size_t k, conf_token_step *step, assay_error *err)
{
    const conf_decoder *c = &s->d->c->decoder;
    const conf_diff_run *run = &s->d->runs[k > 0 ? CONF_RUN_DECODE : CONF_RUN_PREFILL];
    const size_t recorded = conf_row_of_step(c, b, k, true), n = c->rows.n_cols;
    if (!run->found || recorded == SIZE_MAX) return ASSAY_OK;
    size_t sample = b, pos = k > 0 ? k - 1 : c->n_tokens - 1;
    if (k == 0 && c->rows.n_listed) {
        sample = 0;
        pos = conf_row_in_file(c, recorded);
    }
    if (!s->raw) {
        s->raw = malloc(n * sizeof(double));
        s->truth = malloc(n * sizeof *s->truth);
        s->row = malloc(n * sizeof *s->row);
    }
    if (!s->raw || !s->truth || !s->row)
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", s->d->c->path);
    assay_status rc = read_row(s, run->truth, sample, pos, s->truth, err);
    if (rc == ASSAY_OK) rc = read_row(s, run->found, sample, pos, s->row, err);
    step->truth = s->truth;
    step->found = s->row;
    return rc;
}

/* The number of tokens of a row. */
static size_t count_tokens(const int32_t *row, size_t n)
{
    size_t k = 0;
    while (k < n && row[k] != -1) k++;
    return k;
}

/* -1 marks the end of the candidate's stream, as in the golden. A token of more than 32 bits is outside
 * the vocabulary and is replaced by INT32_MAX. */
static assay_status judge_step(tokens_state *s, size_t b, size_t k, conf_token_step *step, int64_t found,
                               conf_token *token, assay_error *err)
{
    const bool is_id = found >= INT32_MIN && found <= INT32_MAX;
    if (step->golden < 0 && found == -1) {
        *token = CONF_TOKEN_SAME;
        return ASSAY_OK;
    }
    assay_status rc = found == step->golden ? ASSAY_OK : read_rows(s, b, k, step, err);
    if (rc != ASSAY_OK) return rc;
    *token = conf_token_judge_choice(step, is_id ? (int32_t)found : INT32_MAX);
    if (found == -1 && *token == CONF_TOKEN_OTHER) *token = CONF_TOKEN_STOPS_EARLY;
    return rc;
}

/* Judges the steps of sample b that can be judged; *agrees is false, with the reason in d->v, if it
 * diverges. */
static assay_status judge_sample(tokens_state *s, size_t b, bool *agrees, assay_error *err)
{
    const conf_decoder *c = &s->d->c->decoder;
    const int32_t *golden = (const int32_t *)c->greedy.data + b * c->n_greedy;
    const int64_t *found = s->found + b * c->n_greedy;
    size_t n_golden = count_tokens(golden, c->n_greedy), m = c->n_greedy;
    bool holds_stop = n_golden > 0 && conf_is_stop(golden[n_golden - 1], s->stop_ids, s->n_stop_ids);
    size_t n_steps = n_golden + (c->stops[b] && !holds_stop && n_golden < m);
    *agrees = true;
    for (size_t k = 0; k < m; k++) {
        conf_token token = CONF_TOKEN_SAME;
        conf_token_step step = {.golden = k < n_golden  ? golden[k]
                                          : k < n_steps ? -1
                                                        : CONF_STREAM_ENDED,
                                .ends = c->stops[b] && holds_stop && k + 1 == n_golden,
                                .n = c->has_truth ? c->rows.n_cols : 0,
                                .stop_ids = s->stop_ids,
                                .n_stop_ids = s->n_stop_ids,
                                .epsilon = s->d->bounds.limit * s->d->bounds.max_abs};
        assay_status rc = ASSAY_OK;
        if (k < n_steps) rc = judge_step(s, b, k, &step, found[k], &token, err);
        else if (found[k] != -1) token = CONF_TOKEN_GOES_ON;
        if (rc != ASSAY_OK) return rc;
        if (token == CONF_TOKEN_SAME) continue;
        if (found[k] == step.golden && k + 1 < m && found[k + 1] != -1) token = CONF_TOKEN_PAST_STOP;
        if (token != CONF_TOKEN_TIE) {
            *agrees = false;
            conf_evaluate_fail_step(s->d->v, token, b, k, step.golden, found[k]);
            return ASSAY_OK;
        }
        s->n_ties++;
        if (s->forced) continue;
        s->n_left += n_steps - k - 1;
        return ASSAY_OK;
    }
    return ASSAY_OK;
}

static assay_status read_forced(const conf_diff_state *d, bool *forced, assay_error *err)
{
    bool found;
    double value = 0;
    assay_status rc = conf_h5_attribute_number(d->observed, "/", "forced_tokens", &found, &value, err);
    *forced = value > 0;
    if (rc == ASSAY_OK && value != 0 && value != 1)
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: the attribute forced_tokens is %g, expected 0 or 1",
                        conf_h5_path(d->observed), value);
    return rc;
}

static assay_status judge_all(tokens_state *s, assay_error *err)
{
    bool agrees = true;
    assay_status rc = read_forced(s->d, &s->forced, err);
    for (size_t b = 0; b < s->d->c->decoder.n_samples && rc == ASSAY_OK && agrees; b++)
        rc = judge_sample(s, b, &agrees, err);
    if (rc != ASSAY_OK) return rc;
    conf_verdict *v = s->d->v;
    if (!agrees && s->d->c->decoder.has_truth && !s->d->runs[CONF_RUN_PREFILL].found)
        conf_verdict_note(v, "without logits near ties cannot be recognised: every other token diverges");
    if (s->n_ties) conf_verdict_note(v, "%zu greedy tokens flipped at near ties", s->n_ties);
    if (s->n_left)
        conf_verdict_note(v, "%zu greedy steps after a flip not judged: the golden tokens were not forced",
                          s->n_left);
    if (v->outcome == CONF_PASSED && !v->reason[0])
        conf_verdict_set(v, CONF_PASSED, "the greedy tokens agree");
    return rc;
}

assay_status conf_diff_tokens(conf_diff_state *d, assay_error *err)
{
    static const char name[] = "/observed/tokens";
    const conf_decoder *c = &d->c->decoder;
    char shape[96];
    bool fits;
    conf_shape_print(shape, sizeof shape, (const size_t[]){c->n_samples, c->n_greedy}, 2);
    assay_status rc = conf_diff_member_check(d, name, CONF_H5_INTEGERS, shape, &fits, err);
    if (rc != ASSAY_OK || !fits) return rc;
    conf_array found = {0};
    stop_set *stops = NULL;
    tokens_state s = {.d = d};
    rc = stop_set_read(d->c->model, &stops, err);
    if (rc == ASSAY_OK) rc = conf_h5_read_integers(d->observed, name, &found, err);
    if (rc == ASSAY_OK) {
        s.stop_ids = stop_set_ids(stops, &s.n_stop_ids);
        s.found = found.data;
        rc = judge_all(&s, err);
    }
    free(s.raw);
    free(s.truth);
    free(s.row);
    stop_set_free(stops);
    conf_array_free(&found);
    return rc;
}
