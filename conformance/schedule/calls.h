/* The engine calls of a program's steps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_CALLS_H
#define CONFORMANCE_SCHEDULE_CALLS_H

#include "conformance/schedule/record.h"
#include "conformance/schedule/samples.h"
#include "runtime/loading.h"

/* A session that is open.
 * number: of each sample, the one that the engine has given it.
 * tokens: of each sample, those of its sequence; NULL until they are written. */
typedef struct conf_live_session {
    assay_session *session;
    size_t number[CONF_SCHEDULE_SAMPLES_MAX];
    int32_t *tokens[CONF_SCHEDULE_SAMPLES_MAX];
} conf_live_session;

/* The state of an execution. Threads that carry out steps of different sessions and models use different
 * parts of it. */
typedef struct conf_calls {
    const conf_schedule *s;
    const conf_case *c;
    const assay_engine *engine;
    const assay_model_options *options;
    const conf_items *items; /* of the case */
    conf_record *to;
    size_t row[CONF_SCHEDULE_STEPS_MAX + 1];      /* index of each step's first row in the record */
    assay_model *opened[CONF_SCHEDULE_STEPS_MAX]; /* model that each open or wait step has returned */
    loading *loadings[CONF_SCHEDULE_MODELS_MAX];
    conf_live_session sessions[CONF_SCHEDULE_SESSIONS_MAX];
    conf_schedule_samples samples;
} conf_calls;

/* Carries out step i, and records its rows of logits. Returns the engine's error if a call fails, and
 * ASSAY_ENOMEM. */
assay_status conf_calls_run(conf_calls *x, size_t i, assay_error *err);

#endif
