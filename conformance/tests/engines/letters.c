/* A tokenizer of assay/serving.h whose ids are bytes: encoding puts the special token 1000 before a
 * text, and decoding can skip it. A detokenizer releases a byte after the next id. Each process breaks
 * one rule, which MODULE_FAULT names.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/serving.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "conformance/tests/engines/rule.h"

#define SPECIAL 1000

struct assay_tokenizer {
    int unused;
};

struct assay_detokenizer {
    bool skip, holds;
    char held;
};

static assay_status open_one(const char *dir, assay_tokenizer **out, assay_error *err)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/opened", dir);
    if (errs("open")) return fail(err, ASSAY_EFORMAT, "%s", dir);
    if (errs("reopened") && mkdir(path, 0700) != 0) return fail(err, ASSAY_EIO, "it is opened again");
    *out = calloc(1, sizeof **out);
    return *out ? ASSAY_OK : fail(err, ASSAY_ENOMEM, "no memory");
}

static void free_one(assay_tokenizer *t)
{
    free(t);
}

static assay_status encode(const assay_tokenizer *t, const char *text, size_t n, bool add_special,
                           int32_t *ids, size_t capacity, size_t *n_ids, assay_error *err)
{
    (void)t;
    size_t at = 0;
    if (errs("encode")) return fail(err, ASSAY_EINTERNAL, "it cannot encode");
    if (add_special && !errs("bare") && at < capacity) ids[at++] = SPECIAL;
    for (size_t i = 0; i < n && at < capacity; i++)
        ids[at++] = (unsigned char)text[i] + (errs("id") && i == 1);
    *n_ids = errs("many") ? 1U << 20 : at - errs("short");
    return ASSAY_OK;
}

static assay_status decode(const assay_tokenizer *t, const int32_t *ids, size_t n, bool skip_special,
                           char *text, size_t capacity, size_t *n_text, assay_error *err)
{
    (void)t;
    size_t at = 0;
    if (errs("decode")) return fail(err, ASSAY_ENOMEM, "no memory");
    for (size_t i = 0; i < n && at < capacity; i++)
        if (ids[i] != SPECIAL || !skip_special) text[at++] = ids[i] == SPECIAL ? '*' : (char)ids[i];
    if (errs("text") && at > 0) text[0] = '!';
    *n_text = at;
    return ASSAY_OK;
}

static assay_status detokenizer_open(const assay_tokenizer *t, bool skip_special, assay_detokenizer **out,
                                     assay_error *err)
{
    (void)t, (void)err;
    *out = calloc(1, sizeof **out);
    (*out)->skip = skip_special;
    return ASSAY_OK;
}

static assay_status release(assay_detokenizer *d, const assay_sink *sink)
{
    if (d->holds) sink->take(sink->context, ASSAY_PART_CONTENT, &d->held, 1);
    d->holds = false;
    return ASSAY_OK;
}

static assay_status push(assay_detokenizer *d, int32_t id, const assay_sink *sink, assay_error *err)
{
    if (errs("push")) return fail(err, ASSAY_EINTERNAL, "it cannot go on");
    if (id == SPECIAL && d->skip) return ASSAY_OK;
    (void)release(d, sink);
    d->holds = true;
    d->held = id == SPECIAL ? '*' : (char)id;
    return errs("eager") ? release(d, sink) : ASSAY_OK;
}

static assay_status end(assay_detokenizer *d, const assay_sink *sink, assay_error *err)
{
    (void)err;
    return errs("drops") ? ASSAY_OK : release(d, sink);
}

static void detokenizer_free(assay_detokenizer *d)
{
    free(d);
}

const assay_serving *assay_serving_v2(void);

const assay_serving *assay_serving_v2(void)
{
    static assay_serving table;
    table = (assay_serving){.abi = ASSAY_SERVING_ABI,
                            .size = sizeof table,
                            .name = "letters",
                            .version = "1",
                            .tokenizer_open = open_one,
                            .tokenizer_free = free_one,
                            .encode = errs("lacks") ? NULL : encode,
                            .decode = decode,
                            .detokenizer_open = errs("streamless") ? NULL : detokenizer_open,
                            .detokenizer_push = push,
                            .detokenizer_end = end,
                            .detokenizer_free = detokenizer_free};
    return &table;
}
