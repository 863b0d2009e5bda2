/* The reference engine with an error: OFF_REF=layer.01.mlp/9 adds 1/16 to an element of the last row
 * of that tensor in samples of nine tokens, OFF_REF=layer.01.mlp in all samples.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const assay_engine *ref;

struct assay_session {
    assay_session *own;
    assay_trace_fn *trace;
    void *trace_context;
    assay_override_fn *override;
    void *override_context;
};

static int is_selected(const assay_tensor *tensor)
{
    const char *fault = getenv("OFF_REF");
    size_t n = strlen(tensor->name);
    if (!fault || strncmp(fault, tensor->name, n) != 0) return 0;
    return fault[n] == '\0' || (fault[n] == '/' && strtoul(fault + n + 1, NULL, 10) == tensor->shape[0]);
}

static void add_error(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    const assay_session *s = context;
    float *last = (float *)data + (tensor->shape[0] - 1) * tensor->shape[1];
    if (is_selected(tensor)) last[3] += 1.0F / 16;
    if (s->trace) s->trace(s->trace_context, sample, tensor);
    if (s->override) s->override(s->override_context, sample, tensor, data);
}

static assay_status off_session_open(assay_model *model, assay_session **out, assay_error *err)
{
    assay_session *s = calloc(1, sizeof *s);
    if (!s) return ASSAY_ENOMEM;
    assay_status rc = ref->session_open(model, &s->own, err);
    if (rc == ASSAY_OK) *out = s;
    else free(s);
    return rc;
}

static void off_session_free(assay_session *s)
{
    if (!s) return;
    ref->session_free(s->own);
    free(s);
}

static void off_session_trace(assay_session *s, assay_trace_fn *fn, void *context)
{
    s->trace = fn;
    s->trace_context = context;
}

#ifndef OFF_REF_NO_OVERRIDE
static void off_session_override(assay_session *s, assay_override_fn *fn, void *context)
{
    s->override = fn;
    s->override_context = context;
}
#endif

static assay_status off_prefill(assay_session *s, const assay_batch *batch, void *logits, assay_error *err)
{
    ref->session_override(s->own, add_error, s);
    return ref->prefill(s->own, batch, logits, err);
}

static assay_status off_decode(assay_session *s, const int32_t *tokens, void *logits, assay_error *err)
{
    return ref->decode(s->own, tokens, logits, err);
}

const assay_engine *assay_engine_v1(void);

const assay_engine *assay_engine_v1(void)
{
    static assay_engine table;
    char path[4096];
    const char *build = getenv("top_builddir");
    (void)snprintf(path, sizeof path, "%s/ref/.libs/ref32.so", build ? build : ".");
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL),
         *symbol = module ? dlsym(module, ASSAY_ENGINE_SYMBOL) : NULL;
    if (!symbol) return NULL;
    assay_engine_fn *table_of;
    memcpy(&table_of, &symbol, sizeof table_of);
    ref = table_of();
    table = *ref;
    table.name = "off_ref";
    table.session_open = off_session_open;
    table.session_open_with = NULL;
    table.session_free = off_session_free;
    table.session_trace = off_session_trace;
    table.session_override = NULL;
#ifndef OFF_REF_NO_OVERRIDE
    table.session_override = off_session_override;
#endif
    table.prefill = off_prefill;
    table.decode = off_decode;
    return &table;
}
