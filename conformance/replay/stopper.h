/* The tap of CONF_MANNER_STOPPED: it stops the first step, and is removed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_STOPPER_H
#define CONFORMANCE_REPLAY_STOPPER_H

#include "conformance/replay/state.h"
#include "conformance/replay/watch.h"

typedef struct conf_stopper {
    const char *name; /* the only tensor that the tap asks for */
    bool removed;     /* the session has no such tap any more */
    size_t n_calls;   /* before the removal */
    size_t n_others;  /* calls with another tensor */
    size_t n_late;    /* calls after the removal */
} conf_stopper;

/* Stops the steps, [n_steps], with a tap on the tensor s->name: the one that the engine gave last, so that by
 * then it has evaluated most of the step. Removes the tap. False, with the verdict set, if a call failed or
 * broke a promise. */
bool conf_stopper_stop(conf_stopper *s, conf_replay *r, conf_watch *watch, conf_sample_step *steps,
                       size_t n_steps, size_t padded_width);

/* After another step: false, with the verdict set, if the tap was called after its removal. */
bool conf_stopper_check(const conf_stopper *s, conf_verdict *v);

#endif
