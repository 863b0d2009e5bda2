/* The stateful engine's models, sessions and samples, and its table. STATEFUL_MINIMAL: without the optional
 * functions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/engines/stateful.h"

#include <stdio.h>
#include <stdlib.h>

#include "conformance/tests/engines/fail.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/engines/signals.h"
#include "conformance/tests/engines/still_rope.h"
#include "conformance/tests/engines/tap.h"

static assay_status model_open(const char *dir, const assay_model_options *given, assay_model **out,
                               assay_error *err)
{
    const char *slash = strrchr(dir, '/'), *hyphen = strchr(slash ? slash : dir, '-');
    assay_model_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_model_options", err);
    if (rc != ASSAY_OK) return rc;
    if (options.compute || options.kernels)
        return fail(err, ASSAY_EUNSUPPORTED, "types and kernels cannot be chosen");
    assay_model *m = calloc(1, sizeof *m);
    if (!m) return fail(err, ASSAY_ENOMEM, "out of memory");
    const char *fault = hyphen ? hyphen + 1 : "";
    m->has_images = strncmp(fault, "image", 5) == 0;
    if (m->has_images) fault += fault[5] == '-' ? 6 : 5;
    (void)snprintf(m->fault, sizeof m->fault, "%s", fault);
    m->power[0] = 1;
    for (size_t i = 1; i < PERIOD; i++) m->power[i] = m->power[i - 1] * 31 % MODULUS;
    if (model_errs(m, "handles-signal") && !signals_open()) rc = fail(err, ASSAY_EINTERNAL, "no page");
    if (rc == ASSAY_OK) *out = m;
    else free(m);
    return rc;
}

static void model_free(assay_model *m)
{
    free(m);
}

static size_t model_vocab(const assay_model *m)
{
    (void)m;
    return FORMULA_VOCAB;
}

slot *stateful_find(const assay_session *s, size_t sample, assay_error *err)
{
    if (sample < s->n_slots && s->slot[sample].is_live) return &s->slot[sample];
    (void)fail(err, ASSAY_EINVAL, "there is no sample %zu", sample);
    return NULL;
}

uint32_t stateful_attend(const assay_model *m, const slot *a, size_t i, size_t shift, size_t n_keys)
{
    const size_t query = i + shift;
    uint32_t sum = a->ghost * m->power[(query + 1) % PERIOD];
    for (size_t j = 0; j < n_keys; j++)
        sum = (sum + pages_get(&a->keys, j) * m->power[(query + PERIOD - j % PERIOD) % PERIOD]) % MODULUS;
    return sum % MODULUS;
}

void stateful_truncate(slot *a, size_t n_tokens)
{
    a->n_tokens = n_tokens;
    if (n_tokens == 0) a->shift = 0;
    while (a->n_pictures && a->pictures[a->n_pictures - 1].first >= n_tokens) a->n_pictures--;
    pages_shrink(&a->keys, (n_tokens + PAGE_TOKENS - 1) / PAGE_TOKENS);
}

picture *stateful_picture(slot *a, size_t i)
{
    for (size_t k = 0; k < a->n_pictures; k++)
        if (i >= a->pictures[k].first && i - a->pictures[k].first < a->pictures[k].n) return &a->pictures[k];
    return NULL;
}

static assay_status join(assay_session *s, size_t *sample, assay_error *err)
{
    size_t i = 0;
    while (i < s->n_slots && s->slot[i].is_live) i++;
    if (i == s->n_slots) {
        slot *grown = realloc(s->slot, (s->n_slots + 1) * sizeof *grown);
        if (!grown) return fail(err, ASSAY_ENOMEM, "out of memory");
        s->slot = grown;
        s->slot[s->n_slots++] = (slot){0};
    }
    s->slot[i].is_live = true;
    *sample = i;
    return ASSAY_OK;
}

/* What a fault keeps of a session that is closed. */
static void keep_slots(const assay_session *s)
{
    for (size_t i = 0; i < s->n_slots && i < KEPT_SLOTS; i++) {
        const slot *a = &s->slot[i];
        kept *k = &s->model->kept[i];
        *k = a->own;
        k->n = a->n_tokens < KEPT_MAX ? a->n_tokens : KEPT_MAX;
        k->n_pictures = a->n_pictures;
        memcpy(k->pictures, a->pictures, sizeof k->pictures);
    }
}

static void session_free(assay_session *s)
{
    if (s) keep_slots(s);
    for (size_t i = 0; s && i < s->n_slots; i++) pages_free(&s->slot[i].keys);
    if (s) free(s->slot);
    free(s);
}

static assay_status session_open(assay_model *model, const assay_session_options *given, assay_session **out,
                                 assay_error *err)
{
    assay_session_options options, known;
    if (given && given->size > sizeof known && strcmp(model->fault, "accepts-option") == 0) {
        known = *given;
        known.size = sizeof known;
        given = &known;
    }
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_session_options", err);
    if (rc != ASSAY_OK) return rc;
    if (options.limit) return fail(err, ASSAY_EUNSUPPORTED, "caches have no limit");
    if (options.max_tokens > 18 && model_errs(model, "small-context"))
        return fail(err, ASSAY_EUNSUPPORTED, "the context has 18 tokens, and %zu are asked for",
                    options.max_tokens);
    if (model->n_sessions++ && model_errs(model, "single-session"))
        return fail(err, ASSAY_EUNSUPPORTED, "a model has one session");
    assay_session *s = calloc(1, sizeof *s);
    if (!s) return fail(err, ASSAY_ENOMEM, "out of memory");
    s->model = model;
    s->max_tokens = options.max_tokens;
    if (errs(s, "handles-signal")) signals_access();
    for (size_t i = 0, sample; rc == ASSAY_OK && i < options.n_samples; i++) rc = join(s, &sample, err);
    if (rc == ASSAY_OK) *out = s;
    else session_free(s);
    return rc;
}

#ifndef STATEFUL_MINIMAL
static const int32_t *model_stop_ids(const assay_model *m, size_t *n)
{
    static const int32_t ids[] = {FORMULA_STOP};
    (void)m;
    *n = 1;
    return ids;
}

static void model_arrays(const assay_model *m, assay_array_visitor *visit, void *context)
{
    const assay_array_info info = {
        .name = "keys.powers", .is_private = true, .state = ASSAY_ARRAY_REALISED, .n_bytes = sizeof m->power};
    visit(context, &info);
}

/* The fault of a sample that leaves: it clears the keys of the highest other one. */
static void clear_highest(assay_session *s, size_t left)
{
    size_t i = s->n_slots;
    while (i > 0 && (i - 1 == left || !s->slot[i - 1].is_live)) i--;
    if (i == 0) return;
    slot *a = &s->slot[i - 1];
    for (size_t j = 0; j < a->n_tokens; j++) (void)pages_set(&a->keys, j, 0, false);
}

static assay_status leave(assay_session *s, size_t sample, assay_error *err)
{
    slot *a = stateful_find(s, sample, err);
    if (!a) return ASSAY_EINVAL;
    if (errs(s, "refuses-leave")) return fail(err, ASSAY_EUNSUPPORTED, "samples do not leave");
    if (errs(s, "leave-clears-other")) clear_highest(s, sample);
    if (errs(s, "slot-used") && a->n_tokens)
        a->ghost = stateful_attend(s->model, a, a->n_tokens - 1, 0, a->n_tokens) % PERIOD + 1;
    stateful_truncate(a, 0);
    a->is_live = false;
    return ASSAY_OK;
}

static assay_status rewind_sample(assay_session *s, size_t sample, size_t n_tokens, assay_error *err)
{
    slot *a = stateful_find(s, sample, err);
    if (!a) return ASSAY_EINVAL;
    if (errs(s, "refuses-leave")) return fail(err, ASSAY_EUNSUPPORTED, "samples are not rewound");
    if (n_tokens > a->n_tokens && errs(s, "accepts-rewind")) return ASSAY_OK;
    if (n_tokens > a->n_tokens)
        return fail(err, errs(s, "wrong-status-of-rewind") ? ASSAY_EIO : ASSAY_EINVAL,
                    "sample %zu has only %zu tokens", sample, a->n_tokens);
    if (n_tokens == a->n_tokens && n_tokens && errs(s, "rewind-to-present")) n_tokens--;
    const bool keeps_one = errs(s, "rewind-keeps-one") && n_tokens && n_tokens < a->n_tokens;
    const size_t n_pictures = a->n_pictures;
    stateful_truncate(a, n_tokens + keeps_one);
    if (errs(s, "rewind-keeps-image")) a->n_pictures = n_pictures;
    picture *divided = n_tokens ? stateful_picture(a, n_tokens) : NULL;
    if (divided && errs(s, "rewind-restarts-image")) divided->restart = n_tokens;
    if (divided && errs(s, "rewind-drops-image")) a->n_pictures--;
    return ASSAY_OK;
}

static assay_status fork_sample(const assay_session *from, size_t sample, assay_session *into, size_t *forked,
                                assay_error *err)
{
    size_t i = 0;
    if (!stateful_find(from, sample, err)) return ASSAY_EINVAL;
    if (errs(from, "fork-of-empty") && from->slot[sample].n_tokens == 0)
        return fail(err, ASSAY_EINVAL, "sample %zu has no tokens", sample);
    assay_status rc = join(into, &i, err);
    if (rc != ASSAY_OK) return rc;
    const slot *a = &from->slot[sample];
    slot copy = *a;
    copy.keys = (pages){0};
    for (size_t k = 0; k < a->n_pictures && errs(from, "fork-drops-image"); k++)
        copy.pictures[k] = (picture){.first = a->pictures[k].first, .n = a->pictures[k].n};
    if (!pages_fork(&a->keys, &copy.keys)) {
        into->slot[i].is_live = false;
        return fail(err, ASSAY_ENOMEM, "out of memory");
    }
    pages_free(&into->slot[i].keys);
    into->slot[i] = copy;
    *forked = i;
    return ASSAY_OK;
}

static assay_status set_tap(assay_session *s, const assay_tap *tap, assay_error *err)
{
    const bool removes = !tap || !tap->fn;
    if (removes && errs(s, "tap-after-removed")) return ASSAY_OK;
    assay_status rc = tap_set(&s->tap, tap, err);
    if (errs(s, "tap-wrong-name")) s->tap.n_names = 0;
    return rc;
}

static assay_status give_positions(const assay_model *m, const assay_step *step, int32_t *out, int32_t *delta,
                                   assay_error *err)
{
    (void)m;
    if (step->n_items) return fail(err, ASSAY_EUNSUPPORTED, "an input that this engine does not know");
    for (size_t i = 0; i < step->n_axes * step->n_tokens; i++) out[i] = (int32_t)(i % step->n_tokens);
    *delta = 0;
    return ASSAY_OK;
}

static assay_status rotate(const assay_rope_request *request, void *out, void *cos, void *sin, size_t *dim,
                           assay_error *err)
{
    return still_rope(request, ASSAY_F32, out, cos, sin, dim, err);
}
#endif

const assay_engine *assay_engine_v2(void);

const assay_engine *assay_engine_v2(void)
{
    static const assay_engine table = {
        .abi = ASSAY_ENGINE_ABI,
        .size = sizeof(assay_engine),
        .name = "stateful",
        .version = "1",
        .logits_dtype = ASSAY_F32,
        .taps_can_write = true,
        .model_open = model_open,
        .model_free = model_free,
        .model_vocab = model_vocab,
        .session_open = session_open,
        .session_free = session_free,
        .step = stateful_step,
#ifndef STATEFUL_MINIMAL
        .model_stop_ids = model_stop_ids,
        .model_arrays = model_arrays,
        .join = join,
        .leave = leave,
        .rewind = rewind_sample,
        .fork = fork_sample,
        .tap = set_tap,
        .positions = give_positions,
        .rope = rotate,
#endif
    };
    return &table;
}
