/* Reading cases of kind logits and generate.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/decoder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/case/members.h"
#include "conformance/case/prompt.h"
#include "conformance/case/rows.h"
#include "conformance/case/run_noise.h"
#include "conformance/case/traces.h"
#include "conformance/hdf5/text.h"

static assay_status read_lengths(const conf_h5 *file, conf_decoder *d, assay_error *err)
{
    assay_status rc =
        conf_array_read(file, "/input/tokens", ASSAY_I32, 2, (size_t[]){SIZE_MAX, SIZE_MAX}, &d->tokens, err);
    if (rc != ASSAY_OK) return rc;
    d->n_samples = d->tokens.shape[0];
    d->n_tokens = d->tokens.shape[1];
    if (d->tokens.n == 0)
        return assay_fail(err, ASSAY_EFORMAT, "%s: /input/tokens is empty: [%zu,%zu]", conf_h5_path(file),
                          d->n_samples, d->n_tokens);
    rc = conf_array_read(file, "/input/length", ASSAY_I32, 1, (size_t[]){d->n_samples}, &d->length, err);
    if (rc != ASSAY_OK) return rc;
    const int32_t *length = d->length.data;
    for (size_t b = 0; b < d->n_samples; b++)
        if (length[b] < 1 || (size_t)length[b] > d->n_tokens)
            return assay_fail(err, ASSAY_EFORMAT,
                              "%s: /input/length: sample %zu has %" PRId32 ", expected 1..%zu",
                              conf_h5_path(file), b, length[b], d->n_tokens);
    return ASSAY_OK;
}

static assay_status read_decode(const conf_h5 *file, conf_decoder *d, assay_error *err)
{
    if (!conf_h5_has(file, "/input/decode")) return ASSAY_OK;
    assay_status rc = conf_array_read(file, "/input/decode", ASSAY_I32, 2, (size_t[]){d->n_samples, SIZE_MAX},
                                      &d->decode, err);
    if (rc == ASSAY_OK) d->n_decode = d->decode.shape[1];
    return rc;
}

/* Checks the ids [n] of one sample. vocab SIZE_MAX: not known. */
static assay_status check_ids(const conf_h5 *file, const char *name, size_t sample, const int32_t *ids,
                              size_t n, size_t vocab, assay_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (ids[i] < 0 || (size_t)ids[i] >= vocab)
            return assay_fail(err, ASSAY_EFORMAT,
                              "%s: %s: sample %zu holds token %" PRId32 ", which is outside the vocabulary",
                              conf_h5_path(file), name, sample, ids[i]);
    return ASSAY_OK;
}

static bool has_media(const conf_h5 *file)
{
    return conf_h5_has(file, "/input/image_sample") || conf_h5_has(file, "/input/video_sample") ||
           conf_h5_has(file, "/input/audio_sample");
}

/* Where the vocabulary is not known, the engine checks the ids; so it does in prompts with media, whose
 * placeholders may lie beyond the vocabulary. */
static assay_status check_tokens(const conf_h5 *file, const conf_decoder *d, assay_error *err)
{
    const size_t vocab = d->has_truth ? d->rows.n_cols + d->n_more_ids : SIZE_MAX;
    const size_t of_prompts = has_media(file) ? SIZE_MAX : vocab;
    const int32_t *decode = d->decode.data;
    assay_status rc = ASSAY_OK;
    for (size_t b = 0; b < d->n_samples && rc == ASSAY_OK; b++) {
        rc =
            check_ids(file, "/input/tokens", b, conf_prompt(d, b), conf_prompt_length(d, b), of_prompts, err);
        if (rc == ASSAY_OK && decode)
            rc = check_ids(file, "/input/decode", b, decode + b * d->n_decode, d->n_decode, vocab, err);
    }
    return rc;
}

/* Reads the members of /input that this reader does not use itself: the engine gets each under its own
 * name. */
static assay_status read_inputs(const conf_h5 *file, conf_decoder *d, assay_error *err)
{
    static const char *const own[] = {"tokens",       "length",       "decode", "image_sample",
                                      "video_sample", "audio_sample", NULL};
    conf_strings names, others = {0};
    assay_status rc = conf_h5_members(file, "/input", &names, err);
    if (rc != ASSAY_OK) return rc;
    rc = conf_strings_note(&names, "", own, &others, err);
    conf_strings_free(&names);
    if (rc == ASSAY_OK && others.n > 0) {
        d->inputs = calloc(others.n, sizeof *d->inputs);
        if (!d->inputs) rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", conf_h5_path(file));
    }
    for (size_t i = 0; i < others.n && rc == ASSAY_OK; i++) {
        char name[256];
        conf_array a;
        (void)snprintf(name, sizeof name, "/input/%s", others.at[i]);
        rc = conf_h5_read(file, name, &a, err);
        if (rc != ASSAY_OK) break;
        d->inputs[i] = (assay_tensor){.name = others.at[i], .dtype = a.dtype, .rank = a.rank, .data = a.data};
        memcpy(d->inputs[i].shape, a.shape, sizeof a.shape);
        others.at[i] = NULL;
        d->n_inputs = i + 1;
    }
    conf_strings_free(&others);
    if (rc == ASSAY_OK && conf_h5_has(file, "/input/image_sample"))
        rc = conf_array_read(file, "/input/image_sample", ASSAY_I32, 1, (size_t[]){SIZE_MAX},
                             &d->image_sample, err);
    if (rc == ASSAY_OK && conf_h5_has(file, "/input/video_sample"))
        rc = conf_array_read(file, "/input/video_sample", ASSAY_I32, 1, (size_t[]){SIZE_MAX},
                             &d->video_sample, err);
    if (rc == ASSAY_OK && conf_h5_has(file, "/input/audio_sample"))
        rc = conf_array_read(file, "/input/audio_sample", ASSAY_I32, 1, (size_t[]){SIZE_MAX},
                             &d->audio_sample, err);
    return rc;
}

static assay_status read_finish(const conf_h5 *file, conf_decoder *d, assay_error *err)
{
    conf_strings finish;
    assay_status rc = conf_h5_read_strings(file, "/expect/finish", &finish, err);
    if (rc != ASSAY_OK) return rc;
    d->stops = calloc(d->n_samples, sizeof *d->stops);
    if (!d->stops) rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", conf_h5_path(file));
    if (rc == ASSAY_OK && finish.n != d->n_samples)
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: /expect/finish has shape [%zu], expected [%zu]",
                        conf_h5_path(file), finish.n, d->n_samples);
    for (size_t b = 0; b < d->n_samples && rc == ASSAY_OK; b++) {
        d->stops[b] = strcmp(finish.at[b], "stop") == 0;
        if (!d->stops[b] && strcmp(finish.at[b], "length") != 0)
            rc = assay_fail(err, ASSAY_EFORMAT,
                            "%s: /expect/finish: sample %zu has \"%.40s\", expected stop or length",
                            conf_h5_path(file), b, finish.at[b]);
    }
    conf_strings_free(&finish);
    return rc;
}

static assay_status read_greedy(const conf_h5 *file, conf_decoder *d, assay_error *err)
{
    assay_status rc = conf_array_read(file, "/expect/tokens", ASSAY_I32, 2,
                                      (size_t[]){d->n_samples, SIZE_MAX}, &d->greedy, err);
    if (rc != ASSAY_OK) return rc;
    d->n_greedy = d->greedy.shape[1];
    if (d->n_greedy == 0)
        return assay_fail(err, ASSAY_EFORMAT, "%s: /expect/tokens is empty", conf_h5_path(file));
    size_t vocab = d->has_truth ? d->rows.n_cols : SIZE_MAX;
    for (size_t b = 0; b < d->n_samples && rc == ASSAY_OK; b++) {
        const int32_t *row = (const int32_t *)d->greedy.data + b * d->n_greedy;
        size_t n = 0;
        while (n < d->n_greedy && row[n] != -1) n++;
        rc = check_ids(file, "/expect/tokens", b, row, n, vocab, err);
        for (size_t k = n; k < d->n_greedy && rc == ASSAY_OK; k++)
            if (row[k] != -1)
                rc = assay_fail(err, ASSAY_EFORMAT,
                                "%s: /expect/tokens: sample %zu has token %" PRId32
                                " after its end at step %zu",
                                conf_h5_path(file), b, row[k], n);
    }
    return rc == ASSAY_OK ? read_finish(file, d, err) : rc;
}

/* Notes members that are unknown: of /expect, whose members are `names`, and of its groups. */
static assay_status note_expected(const conf_h5 *file, const conf_strings *names, conf_case *c,
                                  assay_error *err)
{
    static const char *const run[] = {"prefill", "decode", "noise", NULL};
    static const char *const others[] = {"rows", "tokens", "finish", "truth"};
    const char **known = calloc(names->n + 5, sizeof *known);
    if (!known) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", conf_h5_path(file));
    memcpy(known, others, sizeof others);
    size_t n = 4;
    for (size_t i = 0; i < names->n; i++)
        if (conf_compute_of_run(names->at[i])) known[n++] = names->at[i];
    assay_status rc = conf_strings_note(names, "/expect/", known, &c->unknown, err);
    for (const char **group = known + 3; *group && rc == ASSAY_OK; group++) {
        char name[64];
        (void)snprintf(name, sizeof name, "/expect/%s", *group);
        rc = conf_members_note(file, name, run, &c->unknown, err);
    }
    free(known);
    return rc;
}

static assay_status note_members(const conf_h5 *file, conf_case *c, assay_error *err)
{
    static const char *const root[] = {"input", "expect", "trace", NULL};
    conf_strings names = {0};
    assay_status rc = conf_members_note(file, "/", root, &c->unknown, err);
    if (rc == ASSAY_OK) rc = conf_h5_members(file, "/expect", &names, err);
    if (rc == ASSAY_OK) rc = note_expected(file, &names, c, err);
    conf_strings_free(&names);
    return rc;
}

assay_status conf_decoder_read(const conf_h5 *file, conf_case *c, bool frame, assay_error *err)
{
    conf_decoder *d = &c->decoder;
    bool generates = c->kind == CONF_GENERATE;
    assay_status rc = note_members(file, c, err);
    if (rc == ASSAY_OK) rc = read_lengths(file, d, err);
    if (rc == ASSAY_OK) rc = read_decode(file, d, err);
    if (rc == ASSAY_OK && !frame) rc = read_inputs(file, d, err);
    d->has_truth = !generates || conf_h5_has(file, "/expect/truth") || conf_h5_has(file, "/expect/float32");
    if (rc == ASSAY_OK && d->has_truth)
        rc = frame ? conf_rows_count(file, d, err) : conf_rows_read(file, d, err);
    if (rc == ASSAY_OK) rc = check_tokens(file, d, err);
    if (rc == ASSAY_OK && (generates || conf_h5_has(file, "/expect/tokens"))) rc = read_greedy(file, d, err);
    if (rc == ASSAY_OK && !frame) rc = conf_traces_read(file, d, c->outline, err);
    return rc;
}

assay_status conf_decoder_read_prompts(const conf_h5 *file, conf_case *c, assay_error *err)
{
    assay_status rc = read_lengths(file, &c->decoder, err);
    if (rc == ASSAY_OK) rc = read_inputs(file, &c->decoder, err);
    return rc == ASSAY_OK ? check_tokens(file, &c->decoder, err) : rc;
}

void conf_decoder_free(conf_decoder *d)
{
    conf_array_free(&d->tokens);
    conf_array_free(&d->length);
    conf_array_free(&d->decode);
    conf_array_free(&d->greedy);
    conf_rows_free(&d->rows);
    for (size_t i = 0; i < d->n_inputs; i++) {
        free((void *)(uintptr_t)d->inputs[i].name);
        free((void *)(uintptr_t)d->inputs[i].data);
    }
    free(d->inputs);
    conf_array_free(&d->image_sample);
    conf_array_free(&d->video_sample);
    conf_array_free(&d->audio_sample);
    for (size_t i = 0; i < d->n_traces; i++) {
        free(d->traces[i].name);
        conf_array_free(&d->traces[i].value);
    }
    free(d->traces);
    free(d->stops);
}
