/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/response/runs.h"

#include "base/grow.h"
#include "base/json.h"
#include "base/json_escape.h"
#include "dialogue/text/text.h"
#include "dialogue/tools/types.h"

#include <stdlib.h>
#include <string.h>

/* Makes the arguments of a call JSON, in the types that the request declares; if the model wrote no JSON,
 * they become a JSON string. */
static void check_arguments(assay_response *r, serve_run *run)
{
    buffer made = {0};
    if (run->text.n == 0) buffer_append_string(&run->text, "{}");
    const assay_text said = buffer_text(&run->text);
    const assay_status rc = json_check("arguments", said.at, said.n, NULL);
    const bool valid = rc == ASSAY_OK;
    if (!valid) json_append_quoted(&made, said);
    const bool changed = !valid || serve_tools_types(r->tools, buffer_text(&run->name), said, &made);
    r->no_memory = r->no_memory || rc == ASSAY_ENOMEM || made.failed;
    if (!changed) {
        buffer_free(&made);
        return;
    }
    buffer_free(&run->text);
    run->text = made;
}

void serve_runs_close(assay_response *r)
{
    if (!r->choice->is_open) return;
    serve_run *run = &r->choice->runs[r->choice->n_runs - 1];
    r->choice->is_open = false;
    if (run->part == ASSAY_PART_CALL) check_arguments(r, run);
    if (r->request.streams) r->form->close(r, run);
}

/* NULL if an allocation failed. */
static serve_run *open_run(assay_response *r, assay_part part)
{
    serve_runs_close(r);
    serve_run *runs = grow_by_one(r->choice->runs, r->choice->n_runs, sizeof *runs);
    r->no_memory = r->no_memory || !runs;
    if (!runs) return NULL;
    r->choice->runs = runs;
    serve_run *run = &r->choice->runs[r->choice->n_runs];
    *run = (serve_run){.part = part, .index = r->choice->n_runs, .call = r->choice->n_calls};
    r->choice->n_runs++;
    r->choice->n_calls += part == ASSAY_PART_CALL;
    r->choice->is_open = true;
    for (size_t i = 0; i <= ASSAY_PART_REASONING && !r->form->fields; i++)
        if (i != (size_t)part) r->choice->space[i].n = 0;
    if (r->request.streams && part != ASSAY_PART_CALL) r->form->open(r, run);
    return run;
}

static void add_text(assay_response *r, serve_run *run, assay_text text)
{
    buffer unused = {0}; /* only content reports logprobs */
    buffer_append(&run->text, text.at, text.n);
    if (r->request.endpoint == SERVE_RESPONSES)
        serve_reports_match(&r->choice->reports, text,
                            run->part == ASSAY_PART_CONTENT ? &run->logprobs : &unused);
    r->no_memory = r->no_memory || run->text.failed || run->logprobs.failed || unused.failed;
    buffer_free(&unused);
    if (r->request.streams && run->part != ASSAY_PART_CALL) r->form->delta(r, run, text);
}

static bool is_space(const buffer *text)
{
    size_t at = 0;
    for (size_t n; at < text->n && (n = serve_text_space(text->data + at, text->n - at)) > 0;) at += n;
    return at == text->n;
}

/* Adds reasoning or content. */
static void receive_text(assay_response *r, assay_part part, assay_text text)
{
    if (r->choice->is_open && r->choice->runs[r->choice->n_runs - 1].part == part) {
        add_text(r, &r->choice->runs[r->choice->n_runs - 1], text);
        return;
    }
    buffer *space = &r->choice->space[part];
    const size_t n_before = space->n;
    const buffer added = {.data = (char *)(uintptr_t)text.at, .n = text.n};
    buffer_append(space, text.at, text.n);
    r->no_memory = r->no_memory || space->failed;
    if (is_space(&added) || space->n != n_before + text.n) return;
    serve_run *run = open_run(r, part);
    if (run) add_text(r, run, buffer_text(space));
    space->n = 0;
}

static void receive_content(void *context, assay_text text)
{
    receive_text(context, ASSAY_PART_CONTENT, text);
}

void serve_runs_receive(void *context, assay_part part, const char *text, size_t n)
{
    assay_response *r = context;
    serve_run *run;
    if (part == ASSAY_PART_REASONING || part == ASSAY_PART_CALL)
        serve_special_end(&r->choice->special, receive_content, r);
    switch (part) {
    case ASSAY_PART_CONTENT:
        serve_special_feed(&r->choice->special, (assay_text){text, n}, receive_content, r);
        return;
    case ASSAY_PART_REASONING: receive_text(r, part, (assay_text){text, n}); return;
    case ASSAY_PART_CALL:
        if (r->request.one_call && r->choice->n_calls > 0) {
            serve_runs_close(r); /* the arguments that follow belong to no run */
            return;
        }
        run = open_run(r, part);
        if (run) buffer_append(&run->name, text, n);
        r->no_memory = r->no_memory || !run || run->name.failed;
        return;
    case ASSAY_PART_ARGUMENTS:
        if (r->choice->is_open) add_text(r, &r->choice->runs[r->choice->n_runs - 1], (assay_text){text, n});
        return;
    }
}

void serve_runs_receive_raw(assay_response *r, assay_text text)
{
    serve_choice *c = r->choice;
    if (text.n == 0) return;
    serve_run *run = c->is_open ? &c->runs[c->n_runs - 1] : open_run(r, ASSAY_PART_CONTENT);
    if (run) add_text(r, run, text);
}

void serve_runs_end(assay_response *r)
{
    serve_special_end(&r->choice->special, receive_content, r);
}

void serve_runs_free(serve_choice *c)
{
    for (size_t i = 0; i < c->n_runs; i++) {
        buffer_free(&c->runs[i].name);
        buffer_free(&c->runs[i].text);
        buffer_free(&c->runs[i].logprobs);
    }
    free(c->runs);
    for (size_t i = 0; i <= ASSAY_PART_REASONING; i++) buffer_free(&c->space[i]);
}
