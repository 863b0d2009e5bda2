/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/bind.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/text.h"

/* Prefixes of the language model in published checkpoints: two of multimodal models, that of a text model,
 * and two of a model that also speaks. */
static const char *const PREFIXES[] = {"model.language_model.", "language_model.model.", "model.",
                                       "thinker.model.", "thinker.language_model.model."};

/* The same of a model whose embedding is wte (Moondream 3). */
static const char *const OTHER_PREFIXES[] = {"text.model.", "text.", "model.text.model.", "model.text."};

void bind_begin(bind *b, const weights *w, array_list *arrays, layout_list *layouts, const char *dir,
                config *c, assay_error *err)
{
    *b = (bind){.weights = w, .arrays = arrays, .layouts = layouts, .dir = dir, .config = c, .err = err};
    b->used = calloc(weights_count(w) + 1, sizeof *b->used);
    if (!b->used) {
        bind_fail(b, ASSAY_ENOMEM, "out of memory");
        return;
    }
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        (void)snprintf(b->prefix, sizeof b->prefix, "%s", PREFIXES[i]);
        if (bind_exists(b, "embed_tokens.weight")) return;
    }
    for (size_t i = 0; i < sizeof OTHER_PREFIXES / sizeof *OTHER_PREFIXES; i++) {
        (void)snprintf(b->prefix, sizeof b->prefix, "%s", OTHER_PREFIXES[i]);
        if (bind_exists(b, "wte.weight") || bind_exists(b, "wte")) return;
    }
    b->prefix[0] = '\0';
    if (bind_exists(b, "tok_embeddings.weight")) return;
    bind_fail(b, ASSAY_EFORMAT,
              "tensor 'model.embed_tokens.weight' is missing (looked below model.language_model. "
              "and language_model.model. as well)");
}

void bind_enter(bind *b, const char *const *prefixes, size_t n, const char *probe, bind_place *old)
{
    char looked[256] = "";
    memcpy(old->prefix, b->prefix, sizeof old->prefix);
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(b->prefix, sizeof b->prefix, "%s", prefixes[i]);
        if (bind_exists(b, "%s", probe)) return;
        const size_t at = strlen(looked);
        if (i > 0) (void)snprintf(looked + at, sizeof looked - at, "%s%s", i > 1 ? ", " : "", prefixes[i]);
    }
    (void)snprintf(b->prefix, sizeof b->prefix, "%s", prefixes[0]);
    bind_fail(b, ASSAY_EFORMAT, "tensor '%s%s' is missing (looked below %s as well)", prefixes[0], probe,
              looked);
}

void bind_leave(bind *b, const bind_place *old)
{
    memcpy(b->prefix, old->prefix, sizeof old->prefix);
}

/* Scales of narrowed caches do not change what the model computes in wider ones. */
static void pass_over_cache_scales(bind *b)
{
    static const char *const ENDS[] = {".kv_scale",       ".k_scale",        ".v_scale",
                                       ".q_scale",        ".k_bias",         ".v_bias",
                                       ".k_global_scale", ".v_global_scale", ".q_global_scale",
                                       ".k_zero_point",   ".v_zero_point",   ".q_zero_point"};
    size_t n = 0;
    if (!b->rules.has_cache_scales || b->status != ASSAY_OK) return;
    for (size_t i = 0; i < weights_count(b->weights); i++)
        for (size_t k = 0; k < sizeof ENDS / sizeof *ENDS; k++)
            if (!b->used[i] && string_ends_with(weights_at(b->weights, i)->name, ENDS[k])) {
                b->used[i] = true;
                n++;
            }
    if (n)
        config_note(b->config->notes, "%zu scales of narrowed caches passed over: caches are not narrowed",
                    n);
}

/* A method of quantisation that no tensor was stored by is the sign of a checkpoint whose files do not belong
 * together. */
static void check_method(bind *b)
{
    for (size_t i = 0; i < b->n_storages; i++)
        if (b->storages[i].format) return;
    if (b->rules.method && rules_any(&b->rules))
        bind_fail(b, ASSAY_EFORMAT,
                  "quantization_config: found quant_method \"%s\", but no tensor is stored by it",
                  b->rules.method);
}

assay_status bind_end(bind *b)
{
    pass_over_cache_scales(b);
    if (b->status == ASSAY_OK) check_method(b);
    for (size_t i = 0; b->status == ASSAY_OK && i < weights_count(b->weights); i++)
        if (!b->used[i])
            b->status = assay_fail(b->err, ASSAY_EFORMAT,
                                   "%s: tensor '%s' is left over: the config does not account for it",
                                   weights_file(b->weights, i), weights_at(b->weights, i)->name);
    free(b->used);
    b->used = NULL;
    rules_free(&b->rules);
    return b->status;
}

assay_status bind_fail(bind *b, assay_status status, const char *format, ...)
{
    if (b->status == ASSAY_OK) b->status = b->config->status;
    if (b->status != ASSAY_OK) return b->status;
    char reason[900];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    b->status = b->config->status = assay_fail(b->err, status, "%s: %s", b->dir, reason);
    return b->status;
}

void bind_tensor_name(const bind *b, char name[BIND_NAME_MAX], const char *suffix, const char *format,
                      va_list args)
{
    char middle[BIND_NAME_MAX - 80];
    (void)vsnprintf(middle, sizeof middle, format, args);
    (void)snprintf(name, BIND_NAME_MAX, "%s%s%s", b->prefix, middle, suffix);
}

bool bind_exists(const bind *b, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    BIND_TENSOR_NAME(name, "", format);
    return weights_find(b->weights, name) != NULL;
}
