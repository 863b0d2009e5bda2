/* Programs drawn from a seed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_DRAW_H
#define CONFORMANCE_SCHEDULE_DRAW_H

#include "conformance/schedule/schedule.h"

/* What drawing has to know of a case. */
typedef struct conf_schedule_draws {
    uint64_t seed;
    size_t shape;     /* of conf_shape_names; SIZE_MAX: one of each */
    size_t n_samples; /* of the case */
    bool whole;       /* sessions have all samples as recorded */
} conf_schedule_draws;

/* NULL-terminated. */
extern const char *const conf_shape_names[];

/* Draws a program for any number of threads: its threads mean nothing before conf_schedule_fold. The same
 * seed draws the same. */
void conf_schedule_draw(const conf_schedule_draws *draws, conf_schedule *out);

/* Deals threads out to `n`. */
void conf_schedule_fold(conf_schedule *s, size_t n);

#endif
