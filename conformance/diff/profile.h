/* The profile of a comparison, for the pictures of its page.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_PROFILE_H
#define CONFORMANCE_DIFF_PROFILE_H

#include <pthread.h>

#include "conformance/diff/state.h"
#include "conformance/evaluate/profile.h"

/* The worst of some neighbouring rows, of several the first. */
typedef struct conf_diff_slot {
    bool is_used;
    size_t number;
    conf_place place;
    double multiple;
} conf_diff_slot;

/* Collects a profile while a comparison runs. */
typedef struct conf_diff_profiler {
    conf_profile *profile; /* borrowed */
    pthread_mutex_t mutex;
    conf_diff_slot slots[CONF_PROFILE_ROWS_MAX];
    conf_diff_watch watch; /* for the comparison's task */
} conf_diff_profiler;

/* profile: zeroed. *p must not move before conf_diff_profiler_end. */
void conf_diff_profiler_begin(conf_diff_profiler *p, conf_profile *profile);

/* Completes the profile. It does not depend on the number of threads. */
void conf_diff_profiler_end(conf_diff_profiler *p);

#endif
