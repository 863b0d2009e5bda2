/* One run in a process of its own, and its comparison with the serial run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "conformance/case/prompt.h"
#include "conformance/evaluate/load.h"
#include "conformance/schedule/rewrite.h"
#include "conformance/schedule/samples.h"

conf_record *conf_record_open(void)
{
    void *memory = mmap(NULL, sizeof(conf_record), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void conf_record_free(conf_record *record)
{
    if (record) (void)munmap(record, sizeof *record);
}

/* Clears everything but rows and their hashes: a successful run writes all of them. */
static void clear_record(conf_record *record, size_t vocab)
{
    memset(record, 0, offsetof(conf_record, hash));
    record->vocab = vocab;
}

/* Argument of the child process. s: NULL: the engine is only loaded. */
typedef struct task {
    const conf_runner *r;
    const conf_schedule *s;
    bool serial;
} task;

static void set_workers(size_t n)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%zu", n);
    (void)setenv("ASSAY_WORKERS", text, 1);
}

/* Skips a program that calls a function which the engine lacks. */
static bool can_run(const conf_schedule *s, const conf_offer *offer, conf_verdict *v)
{
    char step[128];
    for (size_t i = 0; i < s->n_steps; i++) {
        if (conf_offer_has(offer, s->steps[i].op)) continue;
        conf_schedule_name_step(s, i, step, sizeof step);
        conf_verdict_set(v, CONF_SKIPPED, "the engine has no %s, which %s calls",
                         conf_op_names[s->steps[i].op], step);
        return false;
    }
    return true;
}

static void run_task(const void *context, conf_verdict *v)
{
    const task *t = context;
    const conf_runner *r = t->r;
    assay_model_options options = {.size = sizeof options, .allow_unknown = r->c->allow_unknown};
    assay_error err = {0};
    set_workers(t->serial || !t->s ? 1 : t->s->n_workers); /* read when the engine is opened */
    const assay_engine *engine = conf_evaluate_load(r->engine, r->compute, v);
    if (!engine || !conf_evaluate_kernels(r->kernels, &options.kernels, v)) return;
    if (conf_compute_demand(r->compute, engine, r->engine, &options, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_SKIPPED, "%s", err.text);
        return;
    }
    v->float64 = engine->logits_dtype == ASSAY_F64;
    v->stage = CONF_STAGE_SCHEDULE;
    conf_record *record = t->serial ? r->serial : r->concurrent;
    record->offer = conf_offer_of(engine);
    if (t->s && can_run(t->s, &record->offer, v))
        conf_schedule_execute(t->s, r->c, r->items, engine, &options, t->serial, record, v);
}

static size_t rows_in_all(const conf_runner *r, const conf_schedule *s)
{
    size_t first[CONF_SCHEDULE_STEPS_MAX + 1];
    conf_schedule_rows(s, r->c, r->items, first);
    return first[s->n_steps];
}

/* Names the steps that the threads were executing when the process crashed, exited or hung. */
static void name_steps_under_way(const conf_schedule *s, const conf_record *record, conf_verdict *v)
{
    size_t n = 0;
    for (size_t thread = 0; thread < CONF_SCHEDULE_THREADS_MAX && n < sizeof v->where; thread++) {
        char step[128];
        size_t at = record->at[thread];
        if (at == 0 || at > s->n_steps) continue;
        conf_schedule_name_step(s, at - 1, step, sizeof step);
        n += (size_t)snprintf(v->where + n, sizeof v->where - n, "%s%s", n ? ", or " : "in ", step);
    }
}

static assay_status run_schedule(const conf_runner *r, const conf_schedule *s, bool serial, conf_verdict *v,
                                 assay_error *err)
{
    conf_record *record = serial ? r->serial : r->concurrent;
    clear_record(record, serial ? 0 : r->serial->vocab);
    *v = (conf_verdict){0};
    assay_status rc = conf_isolate(run_task, &(task){r, s, serial}, r->limits, v, err);
    if (rc != ASSAY_OK) return rc;
    if (v->class == CONF_CLASS_CRASH || v->class == CONF_CLASS_EXIT || v->class == CONF_CLASS_HANG)
        name_steps_under_way(s, record, v);
    return ASSAY_OK;
}

assay_status conf_schedule_probe(const conf_runner *r, conf_offer *out, conf_verdict *v, assay_error *err)
{
    clear_record(r->serial, 0);
    *v = (conf_verdict){0};
    assay_status rc = conf_isolate(run_task, &(task){r, NULL, true}, r->limits, v, err);
    if (rc == ASSAY_OK && v->outcome == CONF_PASSED) *out = r->serial->offer;
    return rc;
}

/* The samples before step i. */
static conf_schedule_samples samples_before(const conf_runner *r, const conf_schedule *s, size_t i)
{
    conf_schedule_samples samples = {0};
    for (size_t j = 0; j < i; j++) conf_schedule_samples_apply(&samples, s, r->c, r->items, j);
    return samples;
}

/* As in conf_replay_refused: generation may not be refused, which is a step without tokens of prompts. */
static bool may_refuse(const conf_runner *r, const conf_schedule *s, size_t i)
{
    const conf_step *a = &s->steps[i];
    if (a->op != CONF_OP_STEP) return true;
    const conf_schedule_samples samples = samples_before(r, s, i);
    for (size_t k = 0; k < CONF_SCHEDULE_SAMPLES_MAX; k++) {
        const conf_schedule_sample *of = &samples.of[a->session][k];
        if ((a->samples >> k & 1) && of->n_tokens < conf_prompt_length(&r->c->decoder, of->prompt))
            return true;
    }
    return false;
}

assay_status conf_schedule_run_serially(const conf_runner *r, const conf_schedule *s, conf_verdict *v,
                                        assay_error *err)
{
    *v = (conf_verdict){0};
    clear_record(r->serial, 0);
    if (rows_in_all(r, s) > CONF_RECORD_ROWS_MAX) {
        conf_verdict_set(v, CONF_SKIPPED, "the program has more than %d rows of logits",
                         CONF_RECORD_ROWS_MAX);
        return ASSAY_OK;
    }
    assay_status rc = run_schedule(r, s, true, v, err);
    if (rc != ASSAY_OK || v->outcome != CONF_FAILED) return rc;
    const bool refused = v->class == CONF_CLASS_REFUSED && r->serial->status == ASSAY_EUNSUPPORTED;
    if (refused && may_refuse(r, s, atomic_load(&r->serial->failed) - 1)) {
        v->outcome = CONF_SKIPPED;
        v->class = CONF_CLASS_NONE;
    } else {
        conf_verdict_note(v, "on one thread, in the order of the list");
    }
    return rc;
}

bool conf_schedule_cut_refused(const conf_runner *r, conf_schedule *s)
{
    size_t first[CONF_SCHEDULE_STEPS_MAX + 1];
    const size_t failed = atomic_load(&r->serial->failed);
    if (failed == 0) return false;
    conf_schedule_rows(s, r->c, r->items, first);
    if (first[failed - 1] == 0) return false;
    conf_schedule_cut(s, failed - 1);
    return true;
}

/* Element `id` of a row, whichever type the rows have. */
static double record_logit(const conf_record *record, size_t row, size_t id)
{
    const unsigned char *at = record->kept + (row * record->vocab + id) * (record->wide ? 8 : 4);
    double wide;
    float narrow;
    if (record->wide) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&narrow, at, sizeof narrow);
    return (double)narrow;
}

static void describe_values(const conf_runner *r, const conf_schedule *s, size_t row, conf_verdict *v)
{
    size_t size = r->serial->wide ? 8 : 4, bytes = r->serial->vocab * size, id = 0;
    size_t n_threads = conf_schedule_threads(s);
    const char *plural = n_threads == 1 ? "" : "s";
    if ((row + 1) * bytes > CONF_RECORD_BYTES_MAX) {
        conf_verdict_fail(v, CONF_CLASS_INCONSISTENT,
                          "logits are not those of the serial run, on %zu thread%s with ASSAY_WORKERS=%zu",
                          n_threads, plural, s->n_workers);
        return;
    }
    const unsigned char *a = r->serial->kept + row * bytes, *b = r->concurrent->kept + row * bytes;
    while (id + 1 < r->serial->vocab && memcmp(a + id * size, b + id * size, size) == 0) id++;
    conf_verdict_fail(v, CONF_CLASS_INCONSISTENT,
                      "id %zu: the serial run gives %.*g, %zu thread%s with ASSAY_WORKERS=%zu %.*g", id,
                      CONF_DIGITS(v), record_logit(r->serial, row, id), n_threads, plural, s->n_workers,
                      CONF_DIGITS(v), record_logit(r->concurrent, row, id));
}

/* Sets v->where to step i, and the sample and position of its row-th row. */
static void describe_place(const conf_runner *r, const conf_schedule *s, size_t i, size_t row,
                           conf_verdict *v)
{
    const conf_step *a = &s->steps[i];
    const conf_schedule_samples samples = samples_before(r, s, i);
    char step[128];
    size_t k = 0;
    const conf_schedule_sample *of = samples.of[a->session];
    for (;; k++) {
        if (!(a->samples >> k & 1)) continue;
        const size_t n = a->all_rows ? conf_schedule_sample_next(&of[k], a, r->c, r->items) : 1;
        if (row < n) break;
        row -= n;
    }
    if (!a->all_rows) row = conf_schedule_sample_next(&of[k], a, r->c, r->items) - 1;
    conf_schedule_name_step(s, i, step, sizeof step);
    (void)snprintf(v->where, sizeof v->where, "%s, sample %zu, prompt %zu, position %zu", step, k,
                   of[k].prompt, of[k].n_tokens + row);
}

static void compare_records(const conf_runner *r, const conf_schedule *s, conf_verdict *v)
{
    size_t first[CONF_SCHEDULE_STEPS_MAX + 1];
    conf_schedule_rows(s, r->c, r->items, first);
    for (size_t i = 0; i < s->n_steps; i++) {
        for (size_t row = first[i]; row < first[i + 1]; row++) {
            if (r->serial->hash[row] == r->concurrent->hash[row]) continue;
            describe_values(r, s, row, v);
            describe_place(r, s, i, row - first[i], v);
            return;
        }
    }
}

assay_status conf_schedule_run_concurrently(const conf_runner *r, const conf_schedule *s, conf_verdict *v,
                                            assay_error *err)
{
    assay_status rc = run_schedule(r, s, false, v, err);
    if (rc == ASSAY_OK && v->outcome == CONF_PASSED) compare_records(r, s, v);
    return rc;
}
