/* What a reduced case keeps of the whole one.
 *
 * The sequence of a sample is its prompt, without padding, and the tokens of its steps. A cut keeps some of
 * its tokens, of which the last n_decode are given step by step, and may give some of them a plain id. An
 * image, a video or an audio clip is kept if its placeholder tokens are; it may become smaller, with the
 * placeholder tokens of that size, and get plain values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_CUT_CUT_H
#define CONFORMANCE_REDUCE_CUT_CUT_H

#include "conformance/case/items.h"
#include "conformance/judge/verdict.h"
#include "conformance/reduce/cut/size.h"

/* The case that is reduced. */
typedef struct conf_whole {
    const conf_case *c; /* of a kind with prompts, with a checkpoint; borrowed */
    conf_items items;
    size_t width;    /* tokens of the longest sequence */
    size_t n_layers; /* of its checkpoint; 0: not known */
    int32_t plain;   /* a small id that is no placeholder */
    conf_placeholders placeholders;
    conf_size *sizes; /* of each item; all 0 too if its tokens are not known, or lie among those of others */
} conf_whole;

/* The floating-point values of an item: its own, or simpler ones. */
typedef enum conf_filling {
    CONF_FILLING_OWN,
    CONF_FILLING_ROUNDED, /* multiples of 1/4, which every type has exactly */
    CONF_FILLING_ONES,
    CONF_FILLING_ZEROS,
    CONF_N_FILLINGS
} conf_filling;

typedef struct conf_cut {
    bool *samples;          /* [n_samples of the whole] */
    bool *tokens;           /* [n_samples, width]; the tokens of samples that are not kept do not matter */
    bool *plain;            /* [n_samples, width]: tokens that have the id whole.plain instead of their own */
    conf_size *sizes;       /* [items of the whole] */
    conf_filling *fillings; /* [items of the whole] */
    size_t n_decode;
    size_t n_greedy; /* tokens of the expected streams; 0: there are none, and the case is of kind logits */
    size_t n_layers; /* the first so many layers of the checkpoint; as many as it has: all */
} conf_cut;

/* c and placeholders are borrowed; out->n_layers stays. conf_whole_close frees the rest. Fails with
 * ASSAY_EFORMAT if the inputs cannot be divided among the samples, or with ASSAY_ENOMEM. */
assay_status conf_whole_open(const conf_case *c, const conf_placeholders *placeholders, conf_whole *out,
                             assay_error *err);
void conf_whole_close(conf_whole *whole);

/* Tokens of the sequence of a sample of the whole. */
size_t conf_whole_tokens(const conf_whole *whole, size_t sample);

/* Whether token i of that sequence is a placeholder of an item. */
bool conf_whole_is_of_item(const conf_whole *whole, size_t sample, size_t i);

/* Token i of that sequence. */
int32_t conf_whole_token(const conf_whole *whole, size_t sample, size_t i);

/* Keeps everything. False: out of memory; conf_cut_free in any case. */
bool conf_cut_open(const conf_whole *whole, conf_cut *out);
void conf_cut_free(conf_cut *cut);

/* to: of the same whole. */
void conf_cut_copy(const conf_whole *whole, conf_cut *to, const conf_cut *from);

/* Number of samples that are kept, and of tokens that are kept of a sample. */
size_t conf_cut_samples(const conf_whole *whole, const conf_cut *cut);
size_t conf_cut_tokens(const conf_whole *whole, const conf_cut *cut, size_t sample);

/* Tokens of the longest prompt, without the tokens of steps. */
size_t conf_cut_longest_prompt(const conf_whole *whole, const conf_cut *cut);

/* Whether item `item` of the whole, of this sample, is kept. */
bool conf_cut_has_item(const conf_whole *whole, const conf_cut *cut, size_t sample, size_t item);
size_t conf_cut_items(const conf_whole *whole, const conf_cut *cut);

/* Whether an item with a known span keeps the token of index i in the sequence of its sample, which lies in
 * that span. Of other tokens between its placeholders those are kept that stand before a kept one. n_before:
 * placeholder tokens of the span before it; 0 for the first, and counted on from call to call. */
bool conf_cut_wants(const conf_whole *whole, const conf_cut *cut, size_t sample, size_t item, size_t i,
                    size_t *n_before);

/* Whether an item has a smaller size or other values; and the kept items of which that is so. */
bool conf_cut_changes_item(const conf_whole *whole, const conf_cut *cut, size_t item);
size_t conf_cut_changed_items(const conf_whole *whole, const conf_cut *cut);

/* Whether there is such a case: it has a sample, each sample has a prompt, an item has all placeholder tokens
 * of its size or none, no step has one, and an expected stream follows the whole prompt. */
bool conf_cut_is_case(const conf_whole *whole, const conf_cut *cut);

/* Kept tokens that have another id than in the whole case. */
size_t conf_cut_plain(const conf_whole *whole, const conf_cut *cut);

/* Whether the recorded rows are those of the cut in any causal model: it keeps all layers, ids, sizes and
 * values, and of each sample its first tokens. */
bool conf_cut_is_recorded(const conf_whole *whole, const conf_cut *cut);

/* "1 sample, 5 tokens, 1 image, 2 steps" */
void conf_cut_print(const conf_whole *whole, const conf_cut *cut, char *text, size_t size);

#endif
