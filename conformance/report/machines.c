/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/machines.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "conformance/support/json_add.h"
#include "conformance/support/json_strict.h"

#define MACHINES_MAX   100000
#define PROCESSORS_MAX 1000000
#define JOBS_MAX       1000000

bool conf_machine_is_same(const conf_run_machine *a, const conf_run_machine *b)
{
    const conf_machine_facts *x = &a->facts, *y = &b->facts;
    return strcmp(x->processor, y->processor) == 0 && strcmp(x->architecture, y->architecture) == 0 &&
           strcmp(x->instructions, y->instructions) == 0 && x->n_processors == y->n_processors &&
           strcmp(x->isa, y->isa) == 0 && strcmp(x->workers, y->workers) == 0 &&
           (!a->n_jobs || !b->n_jobs || a->n_jobs == b->n_jobs) &&
           (!a->blas[0] || !b->blas[0] || strcmp(a->blas, b->blas) == 0);
}

static bool add_machine(conf_results *to, const conf_run_machine *machine)
{
    for (size_t i = 0; i < to->n_machines; i++) {
        if (!conf_machine_is_same(&to->machines[i], machine)) continue;
        if (!to->machines[i].blas[0]) to->machines[i] = *machine;
        return true;
    }
    conf_run_machine *grown = grow_by_one(to->machines, to->n_machines, sizeof *grown);
    if (!grown) return false;
    to->machines = grown;
    to->machines[to->n_machines++] = *machine;
    return true;
}

void conf_machines_stamp(conf_results *results)
{
    conf_run_machine machine = {.facts = conf_machine_read(), .n_jobs = results->n_jobs};
    conf_results_stamp(results);
    for (size_t e = 0; e < results->n_engines; e++) {
        const char *blas = results->engines[e].blas;
        const size_t n = strlen(machine.blas);
        if (blas[0] && !strstr(machine.blas, blas))
            (void)snprintf(machine.blas + n, sizeof machine.blas - n, "%s%s", n ? "; " : "", blas);
    }
    (void)add_machine(results, &machine);
}

assay_status conf_machines_join(conf_results *to, const conf_results *from, assay_error *err)
{
    for (size_t i = 0; i < from->n_machines; i++)
        if (!add_machine(to, &from->machines[i])) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    return ASSAY_OK;
}

bool conf_machines_add(json_object *to, const conf_results *results)
{
    if (results->n_machines == 0) return true;
    json_object *array = conf_json_add_array(to, "machines");
    bool ok = array != NULL;
    for (size_t i = 0; ok && i < results->n_machines; i++) {
        const conf_run_machine *m = &results->machines[i];
        json_object *one = conf_json_append_object(array);
        ok = conf_json_add_text(one, "processor", m->facts.processor) &&
             conf_json_add_text(one, "architecture", m->facts.architecture) &&
             conf_json_add_text(one, "instructions", m->facts.instructions) &&
             conf_json_add_count(one, "processors", m->facts.n_processors) &&
             conf_json_add_text(one, "blas", m->blas) &&
             (!m->facts.isa[0] || conf_json_add_text(one, "isa", m->facts.isa)) &&
             (!m->facts.workers[0] || conf_json_add_text(one, "workers", m->facts.workers)) &&
             (!m->n_jobs || conf_json_add_count(one, "jobs", m->n_jobs));
    }
    return ok;
}

static assay_status read_machine(const conf_json_at *at, conf_run_machine *out, assay_error *err)
{
    static const char *const known[] = {"processor", "architecture", "instructions", "processors", "blas",
                                        "isa",       "workers",      "jobs",         NULL};
    conf_machine_facts *f = &out->facts;
    conf_json_at optional;
    int64_t n = 0, n_jobs = 0;
    assay_status rc = conf_json_expect(at, json_type_object, err);
    if (rc == ASSAY_OK) rc = conf_json_only(at, known, err);
    if (rc == ASSAY_OK) rc = conf_json_copy_text(at, "processor", f->processor, sizeof f->processor, err);
    if (rc == ASSAY_OK)
        rc = conf_json_copy_text(at, "architecture", f->architecture, sizeof f->architecture, err);
    if (rc == ASSAY_OK)
        rc = conf_json_copy_text(at, "instructions", f->instructions, sizeof f->instructions, err);
    if (rc == ASSAY_OK) rc = conf_json_member_whole(at, "processors", 1, PROCESSORS_MAX, &n, err);
    if (rc == ASSAY_OK) rc = conf_json_copy_text(at, "blas", out->blas, sizeof out->blas, err);
    if (rc == ASSAY_OK && conf_json_find(at, "isa", &optional))
        rc = conf_json_copy_text(at, "isa", f->isa, sizeof f->isa, err);
    if (rc == ASSAY_OK && conf_json_find(at, "workers", &optional))
        rc = conf_json_copy_text(at, "workers", f->workers, sizeof f->workers, err);
    if (rc == ASSAY_OK && conf_json_find(at, "jobs", &optional))
        rc = conf_json_whole(&optional, 1, JOBS_MAX, &n_jobs, err);
    f->n_processors = (size_t)n;
    out->n_jobs = (size_t)n_jobs;
    return rc;
}

assay_status conf_machines_read(const conf_json_at *document, conf_results *out, assay_error *err)
{
    conf_json_at all;
    if (!conf_json_find(document, "machines", &all)) return ASSAY_OK;
    assay_status rc = conf_json_expect(&all, json_type_array, err);
    const size_t n = rc == ASSAY_OK ? json_object_array_length(all.value) : 0;
    if (n > MACHINES_MAX)
        return conf_json_fail(&all, err, "found %zu elements, expected at most %d", n, MACHINES_MAX);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        const conf_json_at one = conf_json_element(&all, i);
        conf_run_machine machine = {.blas = ""};
        rc = read_machine(&one, &machine, err);
        if (rc == ASSAY_OK && !add_machine(out, &machine))
            rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", document->name);
    }
    return rc;
}

void conf_machine_print(const conf_run_machine *machine, char line[CONF_MACHINE_LINE_MAX])
{
    const conf_machine_facts *f = &machine->facts;
    char jobs[32] = "";
    if (machine->n_jobs) (void)snprintf(jobs, sizeof jobs, ", --jobs %zu", machine->n_jobs);
    (void)snprintf(line, CONF_MACHINE_LINE_MAX, "%s, %s, %s, %zu processor%s%s%s%s%s%s%s%s", f->processor,
                   f->architecture, f->instructions, f->n_processors, f->n_processors == 1 ? "" : "s",
                   machine->blas[0] ? ", " : "", machine->blas, f->isa[0] ? ", ASSAY_ISA=" : "", f->isa,
                   f->workers[0] ? ", ASSAY_WORKERS=" : "", f->workers, jobs);
}
