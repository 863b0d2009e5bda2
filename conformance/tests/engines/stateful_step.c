/* The steps of the stateful engine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#include "conformance/tests/engines/fail.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/engines/stateful.h"
#include "conformance/tests/engines/tap.h"

static const float STRAY = 12345; /* what faults write where they must not */

/* The evaluation of one step of a sample. */
typedef struct pass {
    assay_session *s;
    const assay_step *step;
    slot *slot;
    size_t n_before, shift; /* shift: as in slot, for the new tokens only */
    uint32_t *state;        /* [n_tokens] */
    float *x;               /* [n_tokens, FORMULA_WIDTH] */
} pass;

static uint32_t key_of(int32_t token)
{
    return ((uint32_t)token + 7U) % MODULUS;
}

/* The steps of a call. n_before: [n], how many tokens the sample of each had before. */
typedef struct batch {
    const assay_step *steps;
    size_t n;
    const size_t *n_before;
} batch;

enum { TOKEN_ROWS = 4 }; /* of pixel_values */

/* NULL: the item is no image that this engine takes. */
static const assay_tensor *pixels_of(const assay_item *item)
{
    for (size_t k = 0; k < item->n_tensors; k++) {
        const assay_tensor *t = &item->tensors[k];
        if (strcmp(t->name, "pixel_values") == 0)
            return t->rank == 2 && t->shape[1] == 2 && t->shape[0] / TOKEN_ROWS <= IMAGE_TOKENS_MAX ? t
                                                                                                    : NULL;
    }
    return NULL;
}

static picture read_picture(const assay_item *item, size_t first)
{
    const assay_tensor *t = pixels_of(item);
    const float *pixels = t->data;
    picture p = {.first = first, .restart = first, .n = t->shape[0] / TOKEN_ROWS};
    for (size_t i = 0; i < p.n; i++) {
        p.pixel[i] = (uint32_t)pixels[2 * TOKEN_ROWS * i];
        p.deep[i] = (uint32_t)pixels[2 * TOKEN_ROWS * i + 1];
    }
    return p;
}

/* Whether each placeholder token of the step belongs to an image, and each image to one. */
static assay_status check_items(const assay_session *s, const assay_step *step, assay_error *err)
{
    slot *a = &s->slot[step->sample];
    size_t next = 0, end = 0;
    if (step->n_items && !s->model->has_images)
        return fail(err, ASSAY_EUNSUPPORTED, "an input that this engine does not know");
    if (!s->model->has_images) return ASSAY_OK;
    for (size_t i = 0; i < step->n_items; i++)
        if (!pixels_of(&step->items[i])) return fail(err, ASSAY_EUNSUPPORTED, "item %zu is no image", i);
    for (size_t i = 0; i < step->n_tokens; i++) {
        if (step->tokens[i] != FORMULA_IMAGE || i < end) continue;
        if (!stateful_picture(a, a->n_tokens + i)) {
            if (next == step->n_items || a->n_pictures + next == IMAGES_MAX)
                return fail(err, ASSAY_EINVAL, "placeholder token %zu without an image", a->n_tokens + i);
            end = i + pixels_of(&step->items[next++])->shape[0] / TOKEN_ROWS;
        } else if (errs(s, "refuses-division"))
            return fail(err, ASSAY_EUNSUPPORTED, "the tokens of an image come in one step");
    }
    return next == step->n_items
               ? ASSAY_OK
               : fail(err, ASSAY_EINVAL, "%zu images without placeholder tokens", step->n_items - next);
}

/* The fault of images that are found by their tokens, and those before them, alone. */
static void take_kept_image(const assay_session *s, const assay_step *step, picture *p)
{
    const slot *a = &s->slot[step->sample];
    const kept *k = step->sample < KEPT_SLOTS ? &s->model->kept[step->sample] : NULL;
    for (size_t i = 0; k && i < k->n_pictures; i++) {
        const picture *other = &k->pictures[i];
        bool same = other->first == p->first && other->n == p->n && k->n >= p->first + p->n;
        for (size_t j = 0; same && j < p->first + p->n && j < a->n_tokens + step->n_tokens; j++)
            same = k->token[j] == (j < a->n_tokens ? a->own.token[j] : step->tokens[j - a->n_tokens]);
        if (same) *p = *other;
    }
}

/* Gives the sample of a step, which has been checked, its new images. */
static void add_pictures(assay_session *s, const assay_step *step)
{
    slot *a = &s->slot[step->sample];
    for (size_t i = 0, next = 0; next < step->n_items; i++) {
        if (step->tokens[i] != FORMULA_IMAGE || stateful_picture(a, a->n_tokens + i)) continue;
        a->pictures[a->n_pictures] = read_picture(&step->items[next++], a->n_tokens + i);
        if (errs(s, "images-by-tokens")) take_kept_image(s, step, &a->pictures[a->n_pictures]);
        s->last = a->pictures[a->n_pictures++];
    }
}

/* The number that images add to the placeholder token i of a step. */
static uint32_t pixel_of(assay_session *s, const batch *b, size_t step, size_t i)
{
    const size_t n_before = b->n_before[step];
    const picture *p = stateful_picture(&s->slot[b->steps[step].sample], n_before + i);
    const bool continues = p && p->first < n_before;
    if (!p) return 0;
    size_t row = n_before + i - p->restart;
    if (continues && errs(s, "chunk-restarts-image")) row = i;
    if (continues && errs(s, "image-of-previous")) p = &s->last;
    return p->pixel[row % p->n];
}

/* The number that the deep images of all samples of a call add to the placeholder token k of the call. */
static uint32_t deep_of(assay_session *s, const batch *b, size_t k)
{
    for (size_t step = 0; step < b->n; step++)
        for (size_t i = 0; i < b->steps[step].n_tokens; i++) {
            const size_t at = b->n_before[step] + i;
            if (b->steps[step].tokens[i] != FORMULA_IMAGE || k-- > 0) continue;
            const picture *p = stateful_picture(&s->slot[b->steps[step].sample], at);
            return p ? p->deep[at - p->first] : 0;
        }
    return 0;
}

/* How many placeholder tokens of a call come before step `step`. */
static size_t deep_before(const batch *b, size_t step)
{
    size_t n = 0;
    for (size_t j = 0; j < step; j++)
        for (size_t i = 0; i < b->steps[j].n_tokens; i++) n += b->steps[j].tokens[i] == FORMULA_IMAGE;
    return n;
}

static assay_status check_step(const assay_session *s, const assay_step *step, assay_error *err)
{
    if (!stateful_find(s, step->sample, err)) return ASSAY_EINVAL;
    if (step->n_tokens == 0 && !errs(s, "accepts-nothing"))
        return fail(err, ASSAY_EINVAL, "a step without tokens");
    const size_t n_before = s->slot[step->sample].n_tokens;
    if (s->max_tokens && step->n_tokens > s->max_tokens - n_before && !errs(s, "refused-step-keeps"))
        return fail(err, ASSAY_EINVAL, "%zu tokens after %zu, in a session for %zu", step->n_tokens, n_before,
                    s->max_tokens);
    if (step->positions) return fail(err, ASSAY_EUNSUPPORTED, "positions cannot be given");
    for (size_t i = 0; i < step->n_tokens && !errs(s, "accepts-invalid"); i++) {
        if (step->tokens[i] >= 0 && step->tokens[i] < FORMULA_VOCAB) continue;
        if (errs(s, "no-status")) return (assay_status)99;
        return fail(err, errs(s, "wrong-status") ? ASSAY_EIO : ASSAY_EINVAL,
                    "token %" PRId32 " is outside the vocabulary", step->tokens[i]);
    }
    for (size_t i = 0; i < step->n_outputs; i++) {
        const assay_output *o = &step->outputs[i];
        if (strcmp(o->name, "logits") != 0 && !errs(s, "accepts-output"))
            return fail(err, ASSAY_EUNSUPPORTED, "there is no output %s", o->name);
        if ((o->n_last == 0 || o->n_last > step->n_tokens) && !errs(s, "accepts-rows"))
            return fail(err, ASSAY_EINVAL, "%zu rows of %zu tokens", o->n_last, step->n_tokens);
    }
    return check_items(s, step, err);
}

static assay_status check_steps(const assay_session *s, const assay_step *steps, size_t n, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        rc = check_step(s, &steps[i], err);
        for (size_t j = 0; rc == ASSAY_OK && j < i; j++)
            if (steps[j].sample == steps[i].sample && !errs(s, "accepts-twice"))
                rc = fail(err, ASSAY_EINVAL, "sample %zu has two steps", steps[i].sample);
    }
    return rc;
}

/* Sets p->x from p->state: the tensor after layer 0 or 1. */
static void fill_layer(const pass *p, size_t layer)
{
    for (size_t t = 0; t < p->step->n_tokens; t++)
        for (size_t d = 0; d < FORMULA_WIDTH; d++)
            p->x[t * FORMULA_WIDTH + d] = (float)formula_trace(p->state[t], layer, d);
}

/* Gives p->x to the tap. Returns whether the step goes on. */
static bool give_layer(const pass *p, size_t layer)
{
    static const char *const names[] = {"embed", "layer.00.out"};
    const assay_tensor tensor = {.name = names[layer],
                                 .dtype = ASSAY_F32,
                                 .rank = 2,
                                 .shape = {p->step->n_tokens, FORMULA_WIDTH},
                                 .data = p->x};
    const bool goes_on = tap_give(&p->s->tap, p->step->sample, &tensor, p->x);
    if (errs(p->s, "tap-ignores-write")) fill_layer(p, layer);
    return goes_on || errs(p->s, "goes-on-after-stop");
}

static bool run_layers(const pass *p)
{
    fill_layer(p, 0);
    if (!give_layer(p, 0)) return false;
    for (size_t i = 0; i < p->step->n_tokens * FORMULA_WIDTH; i++) p->x[i] += FORMULA_WIDTH;
    return give_layer(p, 1);
}

static void write_output(const pass *p, const assay_output *output)
{
    const size_t n = output->n_last < p->step->n_tokens ? output->n_last : p->step->n_tokens;
    const size_t first = p->step->n_tokens - n;
    float *data = output->data;
    for (size_t i = 0; i < n; i++) {
        const bool shorter = i + 1 == n && errs(p->s, "short-output");
        const uint32_t state = p->state[first + i];
        for (size_t v = 0; v < (size_t)FORMULA_VOCAB - shorter; v++) {
            const size_t d = v % FORMULA_WIDTH;
            const double off = (double)p->x[(first + i) * FORMULA_WIDTH + d] - formula_trace(state, 1, d);
            data[i * FORMULA_VOCAB + v] = (float)(formula_logit(state, v) + off);
        }
    }
    if (n == 1 && p->step->n_tokens > 1 && errs(p->s, "last-row-only")) data[4] += 1;
    if (errs(p->s, "past-output")) data[n * FORMULA_VOCAB] = STRAY;
    if (errs(p->s, "before-output")) data[-1] = STRAY;
}

/* The fault of a chunk whose first row sees the token after it. */
static bool sees_next(const pass *p)
{
    const size_t n = p->step->n_tokens, n_before = p->n_before;
    if (n == 1 || n_before == 0) return false;
    return errs(p->s, "chunk-first-row") || (n_before >= 512 && n <= 64 && errs(p->s, "long-first-row")) ||
           (n_before >= 512 && n > 64 && errs(p->s, "long-large-chunk"));
}

/* The fault of blocks that are found by their own tokens alone. */
static void take_kept_blocks(const pass *p)
{
    const kept *k = p->step->sample < KEPT_SLOTS ? &p->s->model->kept[p->step->sample] : NULL;
    const size_t first = (p->n_before + KEPT_BLOCK - 1) / KEPT_BLOCK * KEPT_BLOCK;
    for (size_t at = first; k && at + KEPT_BLOCK <= p->n_before + p->step->n_tokens; at += KEPT_BLOCK) {
        if (at + KEPT_BLOCK > k->n ||
            memcmp(&k->token[at], &p->slot->own.token[at], KEPT_BLOCK * sizeof *k->token) != 0)
            continue;
        memcpy(&p->state[at - p->n_before], &k->state[at], KEPT_BLOCK * sizeof *k->state);
    }
}

/* The states of the new tokens, whose keys are cached. */
static void run_attention(const pass *p)
{
    const size_t n = p->step->n_tokens;
    for (size_t i = 0; i < n; i++) {
        p->state[i] = stateful_attend(p->s->model, p->slot, p->n_before + i, p->slot->shift + p->shift,
                                      p->n_before + i + 1 + (i == 0 && sees_next(p)));
    }
    if (errs(p->s, "blocks-by-tokens")) take_kept_blocks(p);
    for (size_t i = 0; i < n && p->n_before + i < KEPT_MAX; i++)
        p->slot->own.state[p->n_before + i] = p->state[i];
}

/* Appends the tokens of step k of a call to its sample. */
static bool append_keys(assay_session *s, const batch *b, size_t k)
{
    const assay_step *step = &b->steps[k];
    slot *a = &s->slot[step->sample];
    size_t deep = errs(s, "deep-of-batch") ? 0 : deep_before(b, k);
    bool ok = true;
    for (size_t i = 0; ok && i < step->n_tokens; i++) {
        uint32_t key = key_of(step->tokens[i]);
        if (s->model->has_images && step->tokens[i] == FORMULA_IMAGE)
            key += pixel_of(s, b, k, i) + deep_of(s, b, deep++);
        if (a->n_tokens < KEPT_MAX) a->own.token[a->n_tokens] = step->tokens[i];
        ok = pages_set(&a->keys, a->n_tokens, key % MODULUS, errs(s, "fork-writes-shared"));
        if (ok) a->n_tokens++;
    }
    return ok;
}

static assay_status run_step(assay_session *s, const batch *b, size_t k, size_t padded_width,
                             assay_error *err)
{
    const assay_step *step = &b->steps[k];
    slot *a = &s->slot[step->sample];
    pass p = {.s = s, .step = step, .slot = a, .n_before = a->n_tokens};
    if (errs(s, "padding-seen"))
        p.shift = padded_width > step->n_tokens + (p.n_before ? 0 : FORMULA_PADDING_MAX);
    p.state = malloc(step->n_tokens * sizeof *p.state);
    p.x = malloc(step->n_tokens * FORMULA_WIDTH * sizeof *p.x);
    assay_status rc = ASSAY_OK;
    if (!p.state || !p.x || !append_keys(s, b, k)) rc = fail(err, ASSAY_ENOMEM, "out of memory");
    if (rc == ASSAY_OK) {
        run_attention(&p);
        if (!run_layers(&p)) rc = fail(err, ASSAY_ESTOPPED, "the tap ended the step");
    }
    for (size_t i = 0; rc == ASSAY_OK && i < step->n_outputs; i++) write_output(&p, &step->outputs[i]);
    free(p.state);
    free(p.x);
    return rc;
}

/* Faults that act on the samples before a step: a sample that begins gets the position of one that does not;
 * memory of the previous call is used. */
static void begin_faults(assay_session *s, const assay_step *steps, size_t n)
{
    size_t longest = 0;
    for (size_t i = 0; i < s->n_slots; i++)
        if (s->slot[i].is_live && s->slot[i].n_tokens > longest) longest = s->slot[i].n_tokens;
    for (size_t i = 0; i < n && errs(s, "late-joiner-position"); i++)
        if (s->slot[steps[i].sample].n_tokens == 0) s->slot[steps[i].sample].shift = longest;
    slot *a = s->kept_token ? stateful_find(s, s->kept_sample, NULL) : NULL;
    if (a && s->kept_index < a->n_tokens)
        (void)pages_set(&a->keys, s->kept_index, key_of(*s->kept_token), false);
    if (s->kept_output) s->kept_output[0] = STRAY;
    s->kept_token = NULL;
    s->kept_output = NULL;
}

/* Faults that act after a step: resting samples count it; an input is written to; memory is kept. */
static void end_faults(assay_session *s, const assay_step *steps, size_t n)
{
    for (size_t i = 0; i < s->n_slots && errs(s, "rest-counter"); i++) {
        bool rests = s->slot[i].is_live && s->slot[i].n_tokens;
        for (size_t j = 0; j < n; j++) rests = rests && steps[j].sample != i;
        s->slot[i].shift += rests;
    }
    if (errs(s, "writes-input")) {
        int32_t *token = (int32_t *)(uintptr_t)steps->tokens;
        *token = (*token + 1) % FORMULA_VOCAB;
    }
    if (errs(s, "keeps-tokens")) {
        s->kept_token = &steps->tokens[steps->n_tokens - 1];
        s->kept_sample = steps->sample;
        s->kept_index = s->slot[steps->sample].n_tokens - 1;
    }
    if (errs(s, "keeps-output") && steps->n_outputs) s->kept_output = steps->outputs->data;
}

/* Restores the samples after a failure. n_run: how many steps were run, the failed one included. */
static void undo_steps(assay_session *s, const batch *b, size_t n_run)
{
    if (errs(s, "refused-step-keeps")) {
        for (size_t i = n_run; i < b->n; i++)
            if (stateful_find(s, b->steps[i].sample, NULL)) (void)append_keys(s, b, i);
        return;
    }
    for (size_t i = 0; i < b->n; i++)
        if (stateful_find(s, b->steps[i].sample, NULL))
            stateful_truncate(&s->slot[b->steps[i].sample], b->n_before[i]);
}

assay_status stateful_step(assay_session *s, const assay_step *steps, size_t n,
                           const assay_step_options *given, assay_error *err)
{
    assay_step_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_step_options", err);
    if (rc != ASSAY_OK || n == 0) return rc;
    size_t *n_before = calloc(n, sizeof *n_before), n_run = 0;
    if (!n_before) return fail(err, ASSAY_ENOMEM, "out of memory");
    const batch b = {steps, n, n_before};
    rc = check_steps(s, steps, n, err);
    for (size_t i = 0; i < n; i++)
        if (stateful_find(s, steps[i].sample, NULL)) n_before[i] = s->slot[steps[i].sample].n_tokens;
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) add_pictures(s, &steps[i]);
    if (rc == ASSAY_OK && errs(s, "sends-signal") && s->model->n_signals++ == 0) (void)raise(SIGSEGV);
    if (rc == ASSAY_OK) begin_faults(s, steps, n);
    for (; n_run < n && (rc == ASSAY_OK || (rc == ASSAY_ESTOPPED && errs(s, "stops-late"))); n_run++) {
        const assay_status one = run_step(s, &b, n_run, options.padded_width, err);
        if (rc == ASSAY_OK) rc = one;
    }
    if (rc == ASSAY_OK) end_faults(s, steps, n);
    else undo_steps(s, &b, n_run);
    free(n_before);
    return rc;
}
