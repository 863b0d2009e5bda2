/* The stateful engine: a decoder with a cache of keys, whose logits are those of the formula model. The state
 * after the token at position p is the sum of the keys of all tokens up to it, each times a power of 31 that
 * depends on the distance.
 *
 * The name of its checkpoint's directory ends with the fault, after the first hyphen:
 * "model-chunk-first-row". These are invisible while prompts are evaluated in one step, all their rows are
 * wanted, none is padded by more than FORMULA_PADDING_MAX, and samples neither rest nor come and go:
 *
 *     chunk-first-row       the first row of a chunk after the first sees the token after it
 *     long-first-row        the same, of a chunk of at most 64 tokens after 512 others
 *     long-large-chunk      the same, of a chunk of more tokens after 512 others
 *     rewind-keeps-one      a rewind, except to 0, keeps one token too many
 *     fork-writes-shared    a fork and its origin write into pages that they share
 *     late-joiner-position  a sample that begins later than another gets the position of that one
 *     rest-counter          the position of a resting sample advances with every step
 *     leave-clears-other    a sample that leaves clears the keys of the highest other one
 *     last-row-only         a logit is wrong if only the last of several rows is wanted
 *     refused-step-keeps    the samples of a step that fails keep its tokens
 *     slot-used             a sample that joins in the slot of another sees that one's state
 *     padding-seen          positions are off by one in padded steps
 *     blocks-by-tokens      a model keeps the states of each slot after its session: a block of tokens that
 * the slot had at the same place, whatever came before it, gets them
 *
 * These break a promise of the ABI:
 *
 *     past-output, before-output  writes the element after, or before, an output
 *     short-output                leaves the last element of an output unwritten
 *     writes-input                writes to the tokens of a step
 *     keeps-tokens, keeps-output  reads a token, or writes to an output, of the call before
 *     accepts-invalid             accepts tokens outside the vocabulary
 *     accepts-nothing             accepts steps without tokens
 *     accepts-output              accepts outputs with any name
 *     accepts-rows                accepts any number of wanted rows
 *     accepts-option              ignores members of session options that it does not know
 *     accepts-twice               accepts two steps of a sample in one call
 *     accepts-rewind              accepts a rewind to more tokens than there are
 *     wrong-status                refuses tokens outside the vocabulary with ASSAY_EIO
 *     no-status                   refuses them with a number that is no status, and without a reason
 *     wrong-status-of-rewind      refuses a rewind to more tokens than there are with ASSAY_EIO
 *     tap-after-removed           calls a tap that was removed
 *     tap-wrong-name              gives a tap tensors that it has not asked for
 *     tap-ignores-write           does not continue with what a tap writes
 *     goes-on-after-stop          does not end a step when the tap returns false
 *     stops-late                  ends a step that a tap stops only after the other samples
 *     rewind-to-present           drops a token in a rewind to the number of tokens that there are
 *     fork-of-empty               does not fork a sample without tokens
 *
 * These concern SIGSEGV:
 *
 *     sends-signal    sends it to its own thread in the first step
 *     handles-signal  has a handler for accesses to a page of its own, which is correct
 *
 * These refuse what an engine may refuse:
 *
 *     small-context        sessions for more than 18 tokens
 *     refuses-leave        leave and rewind
 *     single-session       a second session of a model
 *
 * "model-image" and "model-image-FAULT" take images: pixel_values [4 n, 2], whose rows 0, 4, 8, … have a
 * pixel and a deep pixel for each of n placeholder tokens, FORMULA_IMAGE; both are added to the token. A step
 * whose placeholders and images do not match is refused. Faults of images:
 *
 *     deep-of-batch           deep pixels are counted from the first of the step's samples, not per sample
 *     chunk-restarts-image    a span that continues in another step takes the image from its first pixel on
 *     image-of-previous       or the image of another sample, that which came last
 *     images-by-tokens        a model keeps the images of each slot after its session: an image whose tokens,
 * and those before it, are the same gets the kept pixels rewind-restarts-image   after a rewind into a span
 * the rest of it takes the image from its first pixel on rewind-drops-image      a rewind drops an image with
 * the first of its tokens rewind-keeps-image      a rewind drops no image fork-drops-image        a copy has
 * images without pixels refuses-division refuses a step that continues a span, as an engine may
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_ENGINES_STATEFUL_H
#define CONFORMANCE_TESTS_ENGINES_STATEFUL_H

#include <assay/engine.h>

#include <stdbool.h>
#include <string.h>

#include "conformance/tests/engines/pages.h"

enum { MODULUS = 1009, PERIOD = MODULUS - 1 }; /* 31^PERIOD = 1 (mod MODULUS) */

/* An image of a sample, for n placeholder tokens. first: the index of the first.
 * restart: the index of the token that takes its first pixel: `first` without a fault. */
enum { IMAGES_MAX = 4, IMAGE_TOKENS_MAX = 8 };
typedef struct picture {
    size_t first, n, restart;
    uint32_t pixel[IMAGE_TOKENS_MAX], deep[IMAGE_TOKENS_MAX];
} picture;

/* What faults keep of a slot: its first tokens, the states after them, and its images. */
enum { KEPT_MAX = 64, KEPT_SLOTS = 4, KEPT_BLOCK = 4 };
typedef struct kept {
    int32_t token[KEPT_MAX];
    uint32_t state[KEPT_MAX];
    picture pictures[IMAGES_MAX];
    size_t n, n_pictures;
} kept;

struct assay_model {
    kept kept[KEPT_SLOTS]; /* of the sessions that were closed */
    char fault[64];
    bool has_images;
    size_t n_sessions, n_signals; /* that were opened, and sent */
    uint32_t power[PERIOD];       /* of 31 */
};

/* A sample, or the slot of one that has left.
 * shift: by how much its queries' positions differ from the number of tokens before; 0 without a fault.
 * ghost: a state that precedes its first token; 0 without a fault. */
typedef struct slot {
    bool is_live;
    size_t n_tokens, shift;
    uint32_t ghost;
    pages keys;
    picture pictures[IMAGES_MAX];
    size_t n_pictures;
    kept own; /* its tokens and states */
} slot;

struct assay_session {
    assay_model *model;
    assay_tap tap;
    slot *slot;
    size_t n_slots;
    size_t max_tokens; /* of a sample; 0: not known */
    /* Kept after a step by faults: its last token, in the caller's memory, and that token's sample and index;
     * its output. */
    const int32_t *kept_token;
    size_t kept_sample, kept_index;
    float *kept_output;
    picture last; /* the image that came last */
};

static inline bool model_errs(const assay_model *m, const char *fault)
{
    return strcmp(m->fault, fault) == 0;
}

static inline bool errs(const assay_session *s, const char *fault)
{
    return model_errs(s->model, fault);
}

/* NULL, and the error, if the session has no such sample. */
slot *stateful_find(const assay_session *s, size_t sample, assay_error *err);

/* The state after the token at index i, whose position is i + shift, from the keys of the first n_keys
 * tokens. */
uint32_t stateful_attend(const assay_model *m, const slot *a, size_t i, size_t shift, size_t n_keys);

/* Drops the tokens after the first n_tokens, and the images without tokens. */
void stateful_truncate(slot *a, size_t n_tokens);

/* The image of the placeholder token at index i of a sample; NULL: it has not come yet. */
picture *stateful_picture(slot *a, size_t i);

/* As assay_engine.step. */
assay_status stateful_step(assay_session *s, const assay_step *steps, size_t n,
                           const assay_step_options *given, assay_error *err);

#endif
