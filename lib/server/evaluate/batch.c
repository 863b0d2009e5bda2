/* SPDX-License-Identifier: Apache-2.0 */
#include "server/evaluate/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/job/clock.h"

/* Steps, with what they point to. */
typedef struct steps {
    assay_step *step;     /* [n] */
    assay_output *output; /* [n] */
    assay_item *items;    /* of all steps */
} steps;

/* An item of a step does not state its span: it takes the next placeholder tokens. */
static void fill_step(const server_turn *t, assay_step *step, assay_output *output, assay_item *items)
{
    for (size_t i = 0; i < t->n_items; i++) {
        items[i] = t->items[i];
        items[i].offset = items[i].n_tokens = 0;
    }
    *output = (assay_output){.name = "logits", .n_last = t->n_last, .data = t->logits};
    *step = (assay_step){.sample = t->seat.sample,
                         .tokens = t->tokens,
                         .n_tokens = t->n_tokens,
                         .items = t->n_items ? items : NULL,
                         .n_items = t->n_items,
                         .outputs = t->n_last ? output : NULL,
                         .n_outputs = t->n_last > 0};
}

static bool allocate_steps(const server_turn *turns, size_t n, steps *out)
{
    size_t n_items = 0;
    for (size_t i = 0; i < n; i++) n_items += turns[i].n_items;
    *out = (steps){.step = calloc(n, sizeof *out->step),
                   .output = calloc(n, sizeof *out->output),
                   .items = calloc(n_items + 1, sizeof *out->items)};
    return out->step && out->output && out->items;
}

static void free_steps(steps *s)
{
    free(s->step);
    free(s->output);
    free(s->items);
}

static assay_status run_steps(const server_model *model, server_metrics *metrics, const server_turn *turns,
                              size_t n, assay_error *err)
{
    const assay_step_options options = {.size = sizeof options};
    steps s;
    size_t n_items = 0;
    assay_status rc = ASSAY_ENOMEM;
    if (allocate_steps(turns, n, &s)) {
        for (size_t i = 0; i < n; n_items += turns[i].n_items, i++)
            fill_step(&turns[i], &s.step[i], &s.output[i], s.items + n_items);
        const double start = server_clock();
        rc = model->engine->step(turns->seat.session, s.step, n, &options, err);
        if (rc == ASSAY_OK) {
            server_metrics_observe(metrics, SERVER_TIME_STEP, server_clock() - start);
            server_metrics_add(metrics, SERVER_COUNT_STEPS, 1);
            server_metrics_add(metrics, SERVER_COUNT_STEP_SAMPLES, (int64_t)n);
            server_metrics_add(metrics, SERVER_COUNT_BATCHED_STEPS, n > 1);
        }
    } else {
        rc = assay_fail(err, ASSAY_ENOMEM, "a step: out of memory");
    }
    free_steps(&s);
    return rc;
}

static void run_alone(const server_model *model, server_metrics *metrics, server_turn *t)
{
    t->error = (assay_error){.status = ASSAY_OK};
    t->status = run_steps(model, metrics, t, 1, &t->error);
    if (t->status != ASSAY_OK && !t->error.text[0])
        (void)assay_fail(&t->error, t->status, "the engine failed without a reason");
}

void server_batch_run(const server_model *model, server_metrics *metrics, server_turn *turns, size_t n)
{
    const bool shared = model->engine->join && model->engine->leave;
    if (n > 1 && shared && run_steps(model, metrics, turns, n, NULL) == ASSAY_OK) {
        for (size_t i = 0; i < n; i++) turns[i].status = ASSAY_OK;
        return;
    }
    for (size_t i = 0; i < n; i++) run_alone(model, metrics, &turns[i]);
}
