/* Attempts: whether the same failure stays if a case is cut.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_ATTEMPT_H
#define CONFORMANCE_REDUCE_ATTEMPT_H

#include <stdint.h>

#include "conformance/abi/engine.h"
#include "conformance/evaluate/assignment.h"
#include "conformance/process/jobs.h"
#include "conformance/reduce/cut/cut.h"
#include "conformance/reduce/texts/texts.h"
#include "conformance/support/context.h"

#define CONF_CONTROLS_MAX 3

struct conf_form; /* form.h */

/* How a case fails. Two failures are the same if all of this is; but a case that already fails when it is
 * evaluated whole is simpler than one that fails in another manner, and replaces it. */
typedef struct conf_symptom {
    conf_class class;
    char manner[CONF_MANNER_NAME_MAX];
    char vector[CONF_VECTOR_NAME_MAX]; /* of a textual case: the first that fails */
    /* The first wrong tensor, or empty: of a case with recorded tensors, and of one without, whose tensors
     * the reference computes, and which has more of them. */
    char tensor[CONF_TRACE_NAME_MAX], computed_tensor[CONF_TRACE_NAME_MAX];
} conf_symptom;

/* An engine that agrees with the case with which the reduction began. */
typedef struct conf_control {
    const char *name, *path;
    conf_compute compute;
} conf_control;

/* A reduction under way. What is not said to be owned is borrowed. */
typedef struct conf_reducing {
    const conf_context *context;
    conf_jobs *jobs;
    const conf_case *c; /* the whole case */
    const struct conf_form *form;
    conf_whole *whole;          /* owned; NULL: the case has no prompts */
    conf_texts *texts;          /* owned; NULL: it has no vectors */
    conf_assignment assignment; /* of the engine under test, without a case */
    const char *folder;         /* the temporary directory, which has one for each number of layers */
    char *name;                 /* owned, of the file of the reduced case */
    conf_symptom symptom;
    conf_control controls[CONF_CONTROLS_MAX]; /* [n_controls]: they must agree with the reduced case, too */
    size_t n_controls;
    const char *reference; /* the engine that may compute expected values; NULL: they must be recorded */
    size_t n_groups;       /* into how many groups units are divided at most; 0: groups of one unit */
    double until;          /* the end of the time limit, on the monotonic clock */
    conf_cut best, trial;  /* owned: the smallest case so far, and the next */
    conf_verdict verdict;  /* of the best */
    bool computed;         /* the expected values of the best are computed */
    uint64_t *seen;        /* [n_seen], owned: hashes of the cuts that were tried */
    size_t n_seen;
    size_t n_attempts;
    char line[CONF_TEXT_MAX]; /* of the last attempt that was printed */
    size_t n_alike;           /* attempts after it with the same line */
    assay_status rc;          /* the first failure of the harness itself */
    assay_error *err;
} conf_reducing;

/* Paths, [size]: of the directory of cases with so many layers, of the checkpoint in it, of the best case,
 * and of the trial. */
void conf_attempt_folder(const conf_reducing *r, size_t n_layers, char *path, size_t size);
void conf_attempt_model(const conf_reducing *r, size_t n_layers, char *path, size_t size);
void conf_attempt_best(const conf_reducing *r, char *path, size_t size);
void conf_attempt_trial(const conf_reducing *r, char *path, size_t size);

/* The least size of a group of units of which kept[n] are there, at the current n_groups. */
size_t conf_attempt_least(const conf_reducing *r, const bool *kept, size_t n);

/* Whether the time is over, the user has interrupted, or the harness has failed. */
bool conf_attempt_is_over(const conf_reducing *r);

/* Evaluates the case at `path` in a process of its own: with the engine under test in the symptom's manner,
 * or with a control whole. control NULL: the engine under test. False, with r->rc set, if there is no
 * process. */
bool conf_attempt_evaluate(conf_reducing *r, const conf_control *control, const char *path, conf_verdict *v);

/* Writes r->trial, with recorded values, and evaluates it with the engine under test. *v is CONF_BROKEN if it
 * cannot be written. False as above. */
bool conf_attempt_recorded(conf_reducing *r, bool without_tensors, conf_verdict *v);

/* Whether the failure stays with r->trial: then that becomes the best. The controls must agree with it, by
 * recorded values, or by computed ones. what: of which part of the case less is tried, for the line that is
 * printed. */
bool conf_attempt(conf_reducing *r, const char *what);

/* Notes r->trial, with prompts, as tried. */
void conf_attempt_note(conf_reducing *r);

/* The steps of which an attempt consists. */

/* Whether a case of this hash was tried before; notes it. */
bool conf_attempt_was_tried(conf_reducing *r, uint64_t hash);

/* Whether the verdict is the failure that is looked for. why: what is other about it. */
bool conf_attempt_is_same(const conf_symptom *s, bool has_tensors, const conf_verdict *v, char *why,
                          size_t size);

/* Whether every control agrees with the case at `path`: otherwise its expected values do not hold, and `why`
 * says so. */
bool conf_attempt_is_sound(conf_reducing *r, const char *path, char *why, size_t size);

/* What is printed of a trial that becomes the best. */
#define CONF_SAME_RECORDED "fails the same"
#define CONF_SAME_COMPUTED CONF_SAME_RECORDED "; computed by " CONF_ENGINE_REFERENCE

/* Moves the file of the trial to that of the best, to which the trial's cut has been copied. */
void conf_attempt_keep(conf_reducing *r, bool computed, const conf_verdict *v);

/* Prints what less was tried of (`what`), the size of the trial, and what came of it; equal lines once. */
void conf_attempt_print(conf_reducing *r, const char *what, const char *size, const char *said);

/* Prints how many attempts the last line stands for, if it is more than one. */
void conf_attempt_end_lines(conf_reducing *r);

#endif
