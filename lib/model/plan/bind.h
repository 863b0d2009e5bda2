/* Binding a checkpoint's tensors to a plan: found by name, checked for type and shape, and counted, so that
 * unused tensors can be named.
 *
 * Errors stick, as in model/checkpoint/config.h: after the first failure every further call returns an absent
 * weight.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_BIND_H
#define MODEL_PLAN_BIND_H

#include <stdarg.h>

#include "model/checkpoint/config.h"
#include "model/checkpoint/weights.h"
#include "model/formats/rules.h"
#include "model/plan/plan.h"

typedef struct bind {
    const weights *weights;
    const char *dir;     /* for messages */
    char prefix[64];     /* of every name below the language model: "model.", "model.language_model.", … */
    bool *used;          /* [weights_count] */
    size_t n_parameters; /* elements bound so far */
    size_t n_ignored;    /* elements of the tensors that bind_ignore has skipped */
    bool has_shifted_norms; /* 1 has been added to the weights of norms, as in GGUF files of some families */
    array_list *arrays;     /* borrowed: where vectors are converted */
    plan_storage *storages; /* [n_storages]: how the bound tensors are stored; the plan becomes the owner */
    size_t n_storages;
    layout_list *layouts; /* borrowed: of the stored matrices */
    rules rules;          /* which modules are quantised, as the config says; set by the family */
    config *config;       /* a failure of either is a failure of both: err holds the text of the first */
    assay_status status;
    assay_error *err;
} bind;

/* Takes the prefix below which `embed_tokens.weight` or `wte` is found, or none if there is a
 * `tok_embeddings.weight`. w, arrays, layouts, dir and c, the document's reader, are borrowed; a failure of c
 * is a failure of b, and vice versa. */
void bind_begin(bind *b, const weights *w, array_list *arrays, layout_list *layouts, const char *dir,
                config *c, assay_error *err);

/* Replaces the prefix by the first of prefixes[0..n) below which a tensor `probe` exists; fails, naming them
 * all, if there is none. *old receives the prefix before, for bind_leave. */
typedef struct bind_place {
    char prefix[64];
} bind_place;
void bind_enter(bind *b, const char *const *prefixes, size_t n, const char *probe, bind_place *old);
void bind_leave(bind *b, const bind_place *old);

/* Fails unless every tensor was bound or ignored, naming the first that was not. Frees what bind_begin made.
 */
assay_status bind_end(bind *b);

assay_status bind_fail(bind *b, assay_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

bool bind_exists(const bind *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum { BIND_NAME_MAX = 256 };

/* Writes prefix + the formatted name + suffix. */
void bind_tensor_name(const bind *b, char name[BIND_NAME_MAX], const char *suffix, const char *format,
                      va_list args);

#define BIND_TENSOR_NAME(name, suffix, format)                                                               \
    do {                                                                                                     \
        va_list args;                                                                                        \
        va_start(args, format);                                                                              \
        bind_tensor_name(b, name, suffix, format, args);                                                     \
        va_end(args);                                                                                        \
    } while (0)

#endif
