/* Programs drawn from a seed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_DRAW_H
#define CONFORMANCE_SCHEDULE_DRAW_H

#include "conformance/schedule/drawing.h"

/* NULL-terminated. */
extern const char *const conf_shape_names[];

/* Draws a program for any number of threads: call conf_schedule_fold before using its thread numbers.
 * The same parameters give the same program. */
void conf_schedule_draw(const conf_schedule_draws *draws, conf_schedule *out);

/* Maps the drawn thread numbers to n threads (modulo n). */
void conf_schedule_fold(conf_schedule *s, size_t n);

#endif
