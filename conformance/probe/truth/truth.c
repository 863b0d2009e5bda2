/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/truth/truth.h"
#include "conformance/case/run_noise.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/json.h"
#include "conformance/case/find.h"
#include "conformance/case/prompt.h"
#include "conformance/case/row_list.h"
#include "conformance/judge/noise.h"
#include "conformance/judge/token.h"
#include "conformance/kinds/kinds.h"
#include "conformance/kinds/read.h"
#include "conformance/probe/truth/chat.h"
#include "model/checkpoint/stop.h"
#include "model/source.h"

/* name: in reports; claim: of --compute; run: whose distance from the truth is the noise. */
static const struct {
    const char *name, *claim, *run, *cached_run;
} TYPES[PROBE_TYPES] = {
    [PROBE_F32] = {"f32", "f32", "float32", NULL},
    [PROBE_F16] = {"f16", "f16", "float16", NULL},
    [PROBE_BF16] = {"bf16", "bf16", "bfloat16", NULL},
    [PROBE_INT8] = {"int8", "int8", "int8", NULL},
    [PROBE_AFFINE8] = {"8-bit weights", "8-bit", "affine8", NULL},
    [PROBE_AFFINE4] = {"4-bit weights", "4-bit", "affine4", NULL},
    [PROBE_Q8_0] = {"q8_0", "q8_0", "q8_0", "q8_0+f16"},
    [PROBE_Q8_1] = {"q8_1", "q8_1", "q8_1", "q8_1+f16"},
    [PROBE_Q8_K] = {"q8_K", "q8_K", "q8_K", "q8_K+f16"},
};

const char *probe_type_name(probe_type type)
{
    return TYPES[type].name;
}

const char *probe_type_claim(probe_type type)
{
    return TYPES[type].claim;
}

static probe_noise noise_of(double distance, double max_abs)
{
    if (distance <= 0) return (probe_noise){0};
    const double noise = conf_unit_float32(distance, max_abs);
    return (probe_noise){.noise = noise, .bound = CONF_NOISE_MULTIPLE * noise};
}

/* The noise of a run; that of a run that is as near as the floor is the floor. */
static probe_noise noise_of_run(const conf_rows *rows, conf_compute compute, double max_abs)
{
    const conf_run *run = conf_run_find(rows, compute);
    if (!run) return (probe_noise){0};
    const double largest = run->rows ? conf_noise_largest(rows->truth, run->rows, rows->n_rows, rows->n_cols)
                                     : run->noise.max_abs;
    return noise_of(largest > 0 ? largest : conf_noise_floor(max_abs), max_abs);
}

static void measure_noise(const conf_decoder *d, probe_noise out[PROBE_TYPES])
{
    const conf_rows *rows = &d->rows;
    const double max_abs = conf_max_abs(rows->truth, rows->n_rows * rows->n_cols);
    for (probe_type t = 0; t < PROBE_TYPES; t++) {
        out[t] = noise_of_run(rows, conf_compute_of_run(TYPES[t].run), max_abs);
        if (!TYPES[t].cached_run) continue;
        const probe_noise cached = noise_of_run(rows, conf_compute_of_run(TYPES[t].cached_run), max_abs);
        if (cached.noise > 0) out[t] = cached;
    }
}

/* Adds a case; one of another kind is freed and passed over. */
static assay_status add_case(const char *path, bool named, probe_truth *t, assay_error *err)
{
    conf_case *c = NULL;
    assay_status rc = conf_case_read_outline(path, &c, err);
    if (rc != ASSAY_OK) return rc;
    const bool usable = (c->kind == CONF_LOGITS || c->kind == CONF_GENERATE) && c->decoder.has_truth &&
                        c->decoder.n_inputs == 0;
    if (!usable) {
        if (named)
            rc = assay_fail(err, ASSAY_EINVAL, "%s: found a case without float64 logits, or with images",
                            path);
        conf_case_free(c);
        return rc;
    }
    if (t->n_cases && (strcmp(c->model, t->cases[0]->model) != 0 || c->decoder.rows.n_cols != t->n_vocab)) {
        rc = assay_fail(err, ASSAY_EINVAL, "%s: found the checkpoint %s, expected %s, as in %s", path,
                        c->model, t->cases[0]->model, t->cases[0]->path);
        conf_case_free(c);
        return rc;
    }
    conf_case **cases = grow_by_one(t->cases, t->n_cases, sizeof *cases);
    if (!cases) {
        conf_case_free(c);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    t->cases = cases;
    t->cases[t->n_cases++] = c;
    t->n_vocab = c->decoder.rows.n_cols;
    return ASSAY_OK;
}

static assay_status read_cases(const char *const *paths, size_t n, probe_truth *t, assay_error *err)
{
    conf_found_list list = {0};
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) rc = conf_find(paths[i], &list, err);
    for (size_t i = 0; i < list.n && rc == ASSAY_OK; i++) {
        const size_t length = strlen(list.at[i].path);
        if (length < 3 || strcmp(list.at[i].path + length - 3, ".h5") != 0) continue;
        rc = add_case(list.at[i].path, !list.at[i].scanned, t, err);
    }
    conf_found_free(&list);
    if (rc == ASSAY_OK && t->n_cases == 0)
        rc = assay_fail(err, ASSAY_EINVAL, "%s: found no case of kind logits or generate without images",
                        paths[0]);
    return rc;
}

/* How many tokens of the answer every correct engine of the claimed type must give. */
static size_t count_safe(const probe_truth *t, const probe_prompt *p)
{
    const double margin = 2 * probe_truth_bound(p, t->type);
    const size_t n = p->n_greedy + p->ends;
    for (size_t k = 0; k < n; k++) {
        const double *row = probe_truth_row(p, p->n_prompt + k);
        const bool follows =
            k == 0 || p->n_prompt + k - 1 >= p->n_ids || p->ids[p->n_prompt + k - 1] == p->greedy[k - 1];
        if (!row || !follows) return k;
        const size_t best = conf_argmax(row, t->n_vocab);
        if (k < p->n_greedy && (int32_t)best != p->greedy[k]) return k;
        for (size_t v = 0; v < t->n_vocab; v++)
            if (v != best && row[best] - row[v] <= margin) return k;
    }
    return n;
}

static const char *file_name(const conf_case *c)
{
    const char *base = strrchr(c->path, '/');
    return base ? base + 1 : c->path;
}

static assay_status read_text(const probe_truth *t, const probe_chat *chat, probe_prompt *p, assay_error *err)
{
    assay_status rc = probe_vocab_decode(t->vocab, p->ids, p->n_prompt, false, &p->text, err);
    for (int special = 0; special < 2 && !p->readable && rc == ASSAY_OK; special++) {
        int32_t *ids = NULL;
        size_t n = 0;
        assay_text text = buffer_text(&p->text);
        if (special && p->n_prompt > 1) { /* the tokenizer adds the first token itself */
            p->text.n = 0;
            rc = probe_vocab_decode(t->vocab, p->ids + 1, p->n_prompt - 1, false, &p->text, err);
            text = buffer_text(&p->text);
        }
        if (rc == ASSAY_OK) rc = probe_vocab_encode(t->vocab, text, special, &ids, &n, err);
        p->readable = rc == ASSAY_OK && n == p->n_prompt && memcmp(ids, p->ids, n * sizeof *ids) == 0;
        p->adds = p->readable && special;
        free(ids);
    }
    if (rc != ASSAY_OK || !chat) return rc;
    buffer whole = {0};
    rc = probe_vocab_decode(t->vocab, p->ids, p->n_prompt, false, &whole, err);
    const probe_recorded prompt = {.file = file_name(p->c),
                                   .sample = p->sample,
                                   .text = buffer_text(&whole),
                                   .ids = p->ids,
                                   .n = p->n_prompt};
    if (rc == ASSAY_OK)
        rc =
            probe_chat_request(chat, t->vocab, &prompt, &p->chat, &p->thinking, &p->implied, &p->thinks, err);
    buffer_free(&whole);
    return rc;
}

static void read_greedy(probe_prompt *p)
{
    const conf_decoder *d = &p->c->decoder;
    if (d->n_greedy == 0) return;
    p->greedy = (const int32_t *)d->greedy.data + p->sample * d->n_greedy;
    while (p->n_greedy < d->n_greedy && p->greedy[p->n_greedy] >= 0) p->n_greedy++;
    p->ends = d->stops && d->stops[p->sample];
}

/* Drops the tokens for which the model has no position: a server refuses or ends the answer there. */
static void cut_to_context(const probe_truth *t, probe_prompt *p)
{
    const size_t left = t->n_positions - p->n_prompt;
    if (t->n_positions == 0) return;
    if (p->n_ids >= t->n_positions) p->n_ids = t->n_positions - 1; /* one is left for an answer */
    if (p->n_greedy + p->ends <= left) return;
    if (p->n_greedy > left) p->n_greedy = left;
    p->ends = false;
}

static bool is_stop(const probe_truth *t, int32_t id)
{
    return conf_is_stop(id, t->stop_ids, t->n_stop_ids);
}

static assay_status add_prompt(probe_truth *t, size_t i, size_t sample, const probe_chat *chat,
                               assay_error *err)
{
    const conf_case *c = t->cases[i];
    const conf_decoder *d = &c->decoder;
    probe_prompt *p = &t->prompts[t->n_prompts];
    const char *base = file_name(c);
    *p = (probe_prompt){
        .c = c, .sample = sample, .n_prompt = conf_prompt_length(d, sample), .noise = t->noise[i]};
    t->n_prompts++;
    (void)snprintf(p->name, sizeof p->name, "%.*s, sample %zu", (int)(strlen(base) - 3), base, sample);
    p->n_ids = p->n_prompt + d->n_decode;
    p->ids = calloc(p->n_ids, sizeof *p->ids);
    if (!p->ids) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", c->path);
    memcpy(p->ids, conf_prompt(d, sample), p->n_prompt * sizeof *p->ids);
    if (d->n_decode)
        memcpy(p->ids + p->n_prompt, (const int32_t *)d->decode.data + sample * d->n_decode,
               d->n_decode * sizeof *p->ids);
    read_greedy(p);
    if (p->n_greedy && p->ends && is_stop(t, p->greedy[p->n_greedy - 1])) p->n_greedy--;
    cut_to_context(t, p);
    p->n_safe = count_safe(t, p);
    return read_text(t, chat, p, err);
}

/* Whether a sample has the noise of the claimed type, and the model a position for a token after it. */
static bool is_usable(const probe_truth *t, size_t i, size_t sample)
{
    return t->noise[i][t->type].noise > 0 &&
           (t->n_positions == 0 || conf_prompt_length(&t->cases[i]->decoder, sample) < t->n_positions);
}

/* Says why there is no prompt: no case has the noise of the claimed type, or no prompt fits the model. */
static assay_status refuse_all(const probe_truth *t, assay_error *err)
{
    char names[128] = "";
    size_t n = 0;
    bool has_type = false;
    for (probe_type type = 0; type < PROBE_TYPES; type++) {
        bool found = false;
        for (size_t i = 0; i < t->n_cases; i++) found = found || t->noise[i][type].noise > 0;
        if (found)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", probe_type_claim(type));
        has_type = has_type || (found && type == t->type);
    }
    if (!has_type)
        return assay_fail(
            err, ASSAY_EINVAL,
            "option --compute: found %s, expected a type whose noise is recorded in the cases: %s",
            probe_type_claim(t->type), names);
    return assay_fail(err, ASSAY_EINVAL,
                      "%s: found no prompt of fewer than %zu tokens, the model's positions",
                      t->cases[0]->path, t->n_positions);
}

static int compare_prompts(const void *a, const void *b)
{
    const probe_prompt *x = a, *y = b;
    const int order = (x->n_prompt > y->n_prompt) - (x->n_prompt < y->n_prompt);
    return order ? order : strcmp(x->name, y->name);
}

/* Reads what is beside the first case: requests of chats, and pictures. */
static assay_status read_beside(probe_truth *t, assay_error *err)
{
    static const char *const runs[PROBE_TYPES] = {[PROBE_F32] = "float32", [PROBE_BF16] = "bfloat16"};
    char *cases = strdup(t->cases[0]->path);
    if (!cases) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    const size_t n = (size_t)(file_name(t->cases[0]) - t->cases[0]->path);
    cases[n > 1 ? n - 1 : n] = '\0'; /* without the slash, save that of the root */
    const char *dir = n ? cases : ".";
    assay_status rc = probe_chat_open(t->model, dir, &t->chat, err);
    if (rc == ASSAY_OK) rc = probe_pictures_read(dir, runs[t->type], t->vocab, &t->pictures, err);
    free(cases);
    return rc;
}

static assay_status read_prompts(probe_truth *t, assay_error *err)
{
    size_t n = 0;
    assay_status rc = read_beside(t, err);
    for (size_t i = 0; i < t->n_cases; i++) n += t->cases[i]->decoder.n_samples;
    t->prompts = calloc(n ? n : 1, sizeof *t->prompts);
    t->noise = calloc(t->n_cases, sizeof *t->noise);
    if (rc == ASSAY_OK && (!t->prompts || !t->noise)) rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < t->n_cases && rc == ASSAY_OK; i++) {
        measure_noise(&t->cases[i]->decoder, t->noise[i]);
        for (size_t b = 0; b < t->cases[i]->decoder.n_samples && rc == ASSAY_OK; b++)
            if (t->n_prompts < PROBE_PROMPTS_MAX && is_usable(t, i, b))
                rc = add_prompt(t, i, b, t->chat, err);
    }
    if (rc == ASSAY_OK && t->n_prompts == 0) rc = refuse_all(t, err);
    if (rc == ASSAY_OK) qsort(t->prompts, t->n_prompts, sizeof *t->prompts, compare_prompts);
    return rc;
}

static assay_status read_stops(probe_truth *t, assay_error *err)
{
    stop_set *stops = NULL;
    assay_status rc = stop_set_read(t->model, &stops, err);
    if (rc != ASSAY_OK) return rc;
    size_t n;
    const int32_t *ids = stop_set_ids(stops, &n);
    t->stop_ids = calloc(n ? n : 1, sizeof *t->stop_ids);
    if (t->stop_ids && n) memcpy(t->stop_ids, ids, n * sizeof *ids);
    t->n_stop_ids = t->stop_ids ? n : 0;
    stop_set_free(stops);
    return t->stop_ids ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
}

/* The positions of the model: those of config.json, or of its text_config. 0 if it states none. */
static assay_status read_positions(probe_truth *t, assay_error *err)
{
    json_object *config = NULL, *inner = NULL, *most = NULL;
    const assay_status rc = source_config(t->model, &config, err);
    if (rc != ASSAY_OK) return rc;
    if (!json_object_object_get_ex(config, "max_position_embeddings", &most) &&
        json_object_object_get_ex(config, "text_config", &inner))
        (void)json_object_object_get_ex(inner, "max_position_embeddings", &most);
    if (json_object_is_type(most, json_type_int) && json_object_get_int64(most) > 0)
        t->n_positions = (size_t)json_object_get_int64(most);
    json_object_put(config);
    return ASSAY_OK;
}

assay_status probe_truth_read(const char *const *paths, size_t n, probe_type type, probe_truth *out,
                              assay_error *err)
{
    *out = (probe_truth){.type = type};
    assay_status rc = read_cases(paths, n, out, err);
    if (rc != ASSAY_OK) return rc;
    out->model = strdup(out->cases[0]->model);
    if (!out->model) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    rc = probe_vocab_open(out->model, out->n_vocab, &out->vocab, err);
    if (rc == ASSAY_OK) rc = read_stops(out, err);
    if (rc == ASSAY_OK) rc = read_positions(out, err);
    if (rc == ASSAY_OK) rc = read_prompts(out, err);
    if (rc == ASSAY_OK) probe_chat_parsers(out->vocab, &out->reasoning, &out->tools);
    return rc;
}

void probe_truth_free(probe_truth *truth)
{
    for (size_t i = 0; i < truth->n_prompts; i++) {
        free(truth->prompts[i].ids);
        buffer_free(&truth->prompts[i].text);
        json_object_put(truth->prompts[i].chat);
    }
    for (size_t i = 0; i < truth->n_cases; i++) conf_case_free(truth->cases[i]);
    free(truth->cases);
    free(truth->noise);
    free(truth->prompts);
    free(truth->stop_ids);
    free(truth->model);
    probe_chat_free(truth->chat);
    probe_pictures_free(&truth->pictures);
    probe_vocab_free(truth->vocab);
    *truth = (probe_truth){0};
}

const double *probe_truth_row(const probe_prompt *p, size_t n_before)
{
    const conf_decoder *d = &p->c->decoder;
    const bool decode = n_before > p->n_prompt;
    if (n_before == 0 || n_before > p->n_ids) return NULL;
    const size_t row =
        conf_row_find(d, p->sample, decode, decode ? n_before - p->n_prompt - 1 : n_before - 1);
    return row == SIZE_MAX ? NULL : d->rows.truth + row * d->rows.n_cols;
}

double probe_truth_bound(const probe_prompt *p, probe_type type)
{
    return p->noise[type].bound;
}

int32_t probe_truth_next(const probe_prompt *p, size_t n_before)
{
    return n_before < p->n_ids ? p->ids[n_before] : -1;
}
