/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/evaluate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conformance/abi/engine.h"
#include "conformance/abi/kernels.h"
#include "conformance/abi/serving.h"
#include "conformance/case/case.h"
#include "conformance/case/rows.h"
#include "conformance/evaluate/checkpoint.h"
#include "conformance/evaluate/deadline.h"
#include "conformance/evaluate/failing.h"
#include "conformance/evaluate/judgeable.h"
#include "conformance/evaluate/load.h"
#include "conformance/evaluate/logits.h"
#include "conformance/evaluate/manners.h"
#include "conformance/evaluate/positions.h"
#include "conformance/evaluate/profile.h"
#include "conformance/evaluate/rope.h"
#include "conformance/evaluate/shift.h"
#include "conformance/evaluate/tensors.h"
#include "conformance/evaluate/tokens.h"
#include "conformance/evaluate/vectors.h"
#include "conformance/judge/noise.h"
#include "conformance/kinds/kinds.h"
#include "conformance/kinds/read.h"
#include "conformance/replay/dump.h"
#include "conformance/replay/positions.h"
#include "conformance/replay/replay.h"
#include "conformance/replay/rope.h"
#include "conformance/replay/state.h"

/* Writes the observation. False, with the error in the verdict, if it cannot be written. */
static bool dump_logits(const conf_replay *r, const conf_assignment *assignment)
{
    assay_error err = {0};
    const char *name = assignment->dump_case ? assignment->dump_case : r->c->path;
    if (!assignment->dump || conf_dump_write(assignment->dump, name, r, &err) == ASSAY_OK) return true;
    conf_verdict_set(r->verdict, CONF_BROKEN, "%s", err.text);
    return false;
}

/* Names the tensor at which logits or tokens begin to fail, if none of the recorded ones does: those are of
 * sample 0's prompt alone. The engine has given tensors before. */
static void find_tensor(conf_replay *r, const conf_bounds *bounds, const conf_assignment *assignment)
{
    conf_verdict *v = r->verdict;
    const bool judged =
        v->class == CONF_CLASS_LOGITS || v->class == CONF_CLASS_MASK || v->class == CONF_CLASS_TOKENS;
    const conf_manner manner = v->manner[0] ? conf_manner_find(v->manner) : CONF_MANNER_WHOLE;
    const conf_stage reached = v->stage;
    char text[CONF_TEXT_MAX];
    if (assignment->context_shift && r->c->decoder.caches.limit)
        return; /* no tensors of that truth are known */
    if (v->outcome != CONF_FAILED || !judged || !assignment->reference || !v->last_trace[0]) return;
    v->stage = CONF_STAGE_TENSORS;
    conf_evaluate_allow(v, &assignment->limits);
    const bool found = conf_evaluate_failing(r, bounds, manner, assignment->reference, text);
    v->stage = reached;
    const size_t n = found ? 0 : strlen(v->trace);
    (void)snprintf(v->trace + n, sizeof v->trace - n, "%s%s", n && text[0] ? "; " : "", text);
}

/* Says so if the logits of a case with limited caches are those of a context shift. */
static bool name_shift(conf_replay *r, const conf_bounds *bounds, const conf_assignment *assignment)
{
    conf_verdict *v = r->verdict;
    const conf_stage reached = v->stage;
    if (v->class != CONF_CLASS_LOGITS || !r->c->decoder.caches.limit || assignment->context_shift ||
        !assignment->reference)
        return false;
    v->stage = CONF_STAGE_TENSORS;
    conf_evaluate_allow(v, &assignment->limits);
    const conf_shift shift = conf_shift_find(r, bounds, assignment->reference);
    const size_t n = strlen(v->reason);
    v->stage = reached;
    if (shift.n_dropped)
        (void)snprintf(
            v->reason + n, sizeof v->reason - n,
            "; it drops the oldest tokens, %zu at a time, and renumbers the others: its logits are "
            "those of this sequence, %s " CONF_ENGINE_REFERENCE " (%s --context-shift %zu)",
            shift.n_dropped,
            shift.keeps ? "whose keys and values stay those computed with the dropped tokens, by"
                        : "recomputed by",
            shift.keeps ? "those of a recomputed sequence are judged with" : "judged so with",
            shift.n_dropped);
    return shift.n_dropped > 0;
}

static void evaluate_decoder(conf_replay *r, const conf_assignment *assignment)
{
    (void)snprintf(r->verdict->manner, sizeof r->verdict->manner, "%s",
                   conf_manner_of(CONF_MANNER_WHOLE)->name);
    if (!conf_replay_decoder(r)) return;
    if (r->verdict->outcome == CONF_PASSED && !dump_logits(r, assignment)) return;
    const size_t n_kept = strlen(r->verdict->notes); /* the arrangement of the batch */
    r->verdict->stage = CONF_STAGE_JUDGE;
    conf_bounds bounds = conf_evaluate_bounds(r);
    if (assignment->profile) {
        conf_profile_collect(r, &bounds, assignment);
        return;
    }
    if (r->rows) conf_evaluate_logits(r, &bounds);
    if (r->generated) {
        conf_evaluate_tokens(r, &bounds);
        conf_evaluate_again(r, &bounds, n_kept);
    }
    const bool named = conf_evaluate_traces(r) || name_shift(r, &bounds, assignment);
    if (r->verdict->outcome == CONF_PASSED) conf_evaluate_manners(r, &bounds, assignment, n_kept);
    if (!named) find_tensor(r, &bounds, assignment);
}

static void evaluate_rope(conf_replay *r, conf_profile *profile)
{
    conf_rope_answer answer;
    if (!conf_replay_rope(r, &answer)) return;
    r->verdict->stage = CONF_STAGE_JUDGE;
    if (profile) conf_profile_rope(r, &answer, profile);
    else conf_evaluate_rope(r, &answer);
    conf_rope_answer_free(&answer);
}

static void evaluate_positions(conf_replay *r, conf_profile *profile)
{
    conf_positions_answer answer;
    if (!conf_replay_positions(r, &answer)) return;
    r->verdict->stage = CONF_STAGE_JUDGE;
    if (profile) conf_profile_positions(r, &answer, profile);
    else conf_evaluate_positions(r, &answer);
    conf_positions_answer_free(&answer);
}

static void replay_case(const conf_assignment *assignment, const assay_engine *engine, conf_case *c,
                        conf_verdict *v)
{
    const assay_kernels *kernels = NULL;
    if (!conf_evaluate_kernels(assignment->kernels, &kernels, v) || !c) return;
    if (kernels && c->kind == CONF_ROPE) {
        conf_verdict_set(v, CONF_SKIPPED, "a case of kind rope has no model: it uses no kernels");
        return;
    }
    if (kernels && c->kind == CONF_POSITIONS) {
        conf_verdict_set(v, CONF_SKIPPED, "a case of kind positions uses no kernels");
        return;
    }
    if (conf_kind_of(c->kind)->textual) {
        if (kernels) conf_verdict_set(v, CONF_SKIPPED, "a textual case uses no kernels");
        else conf_evaluate_vectors(assignment, c, v);
        return;
    }
    if (assignment->context_shift && c->kind == CONF_LOGITS &&
        !conf_shift_truth(c, assignment->reference, assignment->context_shift, v))
        return;
    conf_replay r = {.engine = engine, .kernels = kernels, .c = c, .seed = assignment->seed, .verdict = v};
    if (c->kind == CONF_ROPE) evaluate_rope(&r, assignment->profile);
    else if (c->kind == CONF_POSITIONS) evaluate_positions(&r, assignment->profile);
    else evaluate_decoder(&r, assignment);
    conf_replay_free(&r);
}

/* Reads the case; NULL, with the verdict set, if it cannot be replayed. */
static conf_case *read_case(const conf_assignment *assignment, conf_verdict *v)
{
    conf_case *c = NULL;
    assay_error err = {0};
    v->stage = CONF_STAGE_READ;
    if (conf_case_read(assignment->path, &c, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return NULL;
    }
    c->allow_unknown = assignment->allow_unknown;
    conf_verdict_list_unknown(v, c->unknown.at, c->unknown.n);
    v->auxiliary = conf_kind_of(c->kind)->auxiliary;
    (void)snprintf(v->kind, sizeof v->kind, "%s", conf_kind_of(c->kind)->name);
    const char *refusal = conf_kind_of(c->kind)->refusal;
    if (refusal && c->kind == CONF_OBSERVATION) conf_verdict_set(v, CONF_BROKEN, "%s: %s", c->path, refusal);
    else if (refusal) conf_verdict_set(v, CONF_SKIPPED, "%s", refusal);
    else if (assignment->vector && !conf_kind_of(c->kind)->textual)
        conf_verdict_set(v, CONF_SKIPPED, "it has no vectors");
    else if (assignment->manner && !conf_kind_of(c->kind)->has_decoder &&
             strcmp(assignment->manner, CONF_MANNER_WHOLE_NAME) != 0)
        conf_verdict_set(v, CONF_SKIPPED, "it has no prompts, which are evaluated in manners");
    else if (conf_evaluate_judgeable(c, assignment->compute, v)) {
        v->checkpoint = conf_checkpoint_check(c);
        conf_evaluate_allow(v, &assignment->limits);
        return c;
    }
    conf_case_free(c);
    return NULL;
}

/* Evaluates a case that needs no engine, with a module that may have none. */
static void replay_serving(const conf_assignment *assignment, const conf_case *c, conf_verdict *v)
{
    if (assignment->kernels || assignment->compute != CONF_COMPUTE_NONE)
        conf_verdict_set(v, CONF_SKIPPED, "it has no engine, and so takes no kernels and no compute type");
    else if (c && conf_kind_of(c->kind)->textual) conf_evaluate_vectors(assignment, c, v);
    else if (c)
        conf_verdict_set(v, CONF_SKIPPED, "it has no engine: it does not export %s", ASSAY_ENGINE_SYMBOL);
}

void conf_evaluate(const conf_assignment *assignment, conf_verdict *v)
{
    conf_case *c = assignment->path ? read_case(assignment, v) : NULL;
    if (assignment->path && !c) return;
    v->stage = CONF_STAGE_LOAD;
    if (conf_serving_is_standalone(assignment->engine)) {
        replay_serving(assignment, c, v);
    } else {
        const assay_engine *engine = conf_evaluate_load(assignment->engine, assignment->compute, v);
        if (engine) replay_case(assignment, engine, c, v);
    }
    conf_case_free(c);
}
