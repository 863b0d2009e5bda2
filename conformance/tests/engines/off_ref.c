/* The reference engine with an error: OFF_REF=layer.01.mlp/9 adds 1/16 to an element of the last row
 * of that tensor in steps of nine tokens, OFF_REF=layer.01.mlp/9+ in steps of nine and more,
 * OFF_REF=layer.01.mlp in all steps of several tokens; several are separated by commas. With
 * OFF_REF_ENDS=crash or hang the process crashes or hangs there instead.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/engines/fail.h"
#include "conformance/tests/engines/process_faults.h"
#include "conformance/tests/engines/tap.h"

static const assay_engine *ref;

struct assay_session {
    assay_session *own;
    assay_tap tap;
};

static bool is_selected(const assay_tensor *tensor)
{
    size_t n = strlen(tensor->name);
    if (tensor->shape[0] == 1) return false;
    for (const char *fault = getenv("OFF_REF"); fault; fault = strchr(fault, ',')) {
        fault += *fault == ',';
        if (strncmp(fault, tensor->name, n) != 0) continue;
        if (fault[n] == '\0' || fault[n] == ',') return true;
        char *end = NULL;
        const size_t wanted = fault[n] == '/' ? strtoul(fault + n + 1, &end, 10) : 0;
        if (end && (wanted == tensor->shape[0] || (*end == '+' && wanted < tensor->shape[0]))) return true;
    }
    return false;
}

#ifdef OFF_REF_NO_OVERRIDE
#define CAN_WRITE false
#else
#define CAN_WRITE true
#endif

/* assay_tap_fn of the reference's session. */
static bool add_error(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    const assay_session *s = context;
    float *last = (float *)data + (tensor->shape[0] - 1) * tensor->shape[1];
    const char *ends = getenv("OFF_REF_ENDS");
    if (is_selected(tensor) && ends && strcmp(ends, "crash") == 0) crash();
    if (is_selected(tensor) && ends && strcmp(ends, "hang") == 0) hang();
    if (is_selected(tensor)) last[3] += 1.0F / 16;
    return tap_give(&s->tap, sample, tensor, CAN_WRITE ? data : NULL);
}

static assay_status off_session_open(assay_model *model, const assay_session_options *options,
                                     assay_session **out, assay_error *err)
{
    assay_session *s = calloc(1, sizeof *s);
    if (!s) return fail(err, ASSAY_ENOMEM, "out of memory");
    const assay_tap tap = {.size = sizeof tap, .fn = add_error, .context = s};
    assay_status rc = ref->session_open(model, options, &s->own, err);
    if (rc == ASSAY_OK) rc = ref->tap(s->own, &tap, err);
    if (rc == ASSAY_OK) {
        *out = s;
        return ASSAY_OK;
    }
    ref->session_free(s->own);
    free(s);
    return rc;
}

static void off_session_free(assay_session *s)
{
    if (!s) return;
    ref->session_free(s->own);
    free(s);
}

static assay_status off_step(assay_session *s, const assay_step *steps, size_t n,
                             const assay_step_options *options, assay_error *err)
{
    return ref->step(s->own, steps, n, options, err);
}

static assay_status off_join(assay_session *s, size_t *sample, assay_error *err)
{
    return ref->join(s->own, sample, err);
}

static assay_status off_leave(assay_session *s, size_t sample, assay_error *err)
{
    return ref->leave(s->own, sample, err);
}

static assay_status off_rewind(assay_session *s, size_t sample, size_t n_tokens, assay_error *err)
{
    return ref->rewind(s->own, sample, n_tokens, err);
}

static assay_status off_fork(const assay_session *from, size_t sample, assay_session *into, size_t *forked,
                             assay_error *err)
{
    return ref->fork(from->own, sample, into->own, forked, err);
}

static assay_status off_tap(assay_session *s, const assay_tap *tap, assay_error *err)
{
    return tap_set(&s->tap, tap, err);
}

static const assay_engine *open_ref(void)
{
    char path[4096];
    const char *build = getenv("top_builddir");
    (void)snprintf(path, sizeof path, "%s/ref/ref32.so", build ? build : ".");
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL),
         *symbol = module ? dlsym(module, ASSAY_ENGINE_SYMBOL) : NULL;
    if (!symbol) return NULL;
    assay_engine_fn *table_of;
    memcpy(&table_of, &symbol, sizeof table_of);
    return table_of();
}

const assay_engine *assay_engine_v2(void);

/* Passes what it does not replace to the reference. */
const assay_engine *assay_engine_v2(void)
{
    static assay_engine table;
    ref = open_ref();
    if (!ref || !ref->tap || !ref->taps_can_write) return NULL;
    table = *ref;
    table.name = "off_ref";
    table.taps_can_write = CAN_WRITE;
    table.session_open = off_session_open;
    table.session_free = off_session_free;
    table.step = off_step;
    table.join = ref->join ? off_join : NULL;
    table.leave = ref->leave ? off_leave : NULL;
    table.rewind = ref->rewind ? off_rewind : NULL;
    table.fork = ref->fork ? off_fork : NULL;
    table.tap = off_tap;
    return &table;
}
