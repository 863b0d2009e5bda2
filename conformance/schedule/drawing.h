/* Steps of a program that is being drawn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_DRAWING_H
#define CONFORMANCE_SCHEDULE_DRAWING_H

#include "conformance/schedule/schedule.h"

/* Parameters of a drawing. */
typedef struct conf_schedule_draws {
    uint64_t seed;
    size_t shape;     /* index in conf_shape_names of draw.h; SIZE_MAX: one part of each shape */
    size_t n_samples; /* of the case */
    size_t n_prompt;  /* tokens of its shortest prompt */
    conf_offer offer; /* of the engine: programs call no function that it lacks */
} conf_schedule_draws;

enum { DRAWING_THREADS = 16, DRAWING_PART_STEPS = 192 };

/* A part of the program, with models and sessions of its own. */
typedef struct drawing_part {
    conf_step steps[DRAWING_PART_STEPS];
    size_t n, n_taken; /* n_taken: steps that have been moved to the program */
} drawing_part;

/* samples: of each session, the samples that it has at this point, bit by bit. */
typedef struct drawing {
    const conf_schedule_draws *of;
    uint64_t state;
    conf_schedule *to;
    size_t n_models, n_sessions;
    uint32_t samples[CONF_SCHEDULE_SESSIONS_MAX];
    drawing_part *part;
} drawing;

/* A number below n > 0, and a number of threads or samples, 1 or 2. */
size_t drawing_below(drawing *d, size_t n);
size_t drawing_few(drawing *d);

/* Each adds a step on a thread, which may have any number. */
size_t drawing_open(drawing *d, size_t thread);
size_t drawing_load(drawing *d, size_t thread);
void drawing_wait(drawing *d, size_t thread, size_t model);
void drawing_close(drawing *d, size_t thread, size_t model);

/* Opens a session of n samples, with prompts that are drawn with replacement; of one sample if n is 0 and the
 * engine can add none later. */
size_t drawing_session(drawing *d, size_t thread, size_t model, size_t n);
void drawing_row(drawing *d, size_t thread, size_t session, size_t sample);
void drawing_free(drawing *d, size_t thread, size_t session);

/* Gives all samples of the session the rest of their prompts, or one token, with all or the last rows. */
void drawing_prompts(drawing *d, size_t thread, size_t session);
/* Gives all samples of the session one token. */
void drawing_tokens(drawing *d, size_t thread, size_t session);
/* Gives some samples of the session a few tokens; the others rest. */
void drawing_chunk(drawing *d, size_t thread, size_t session);

/* Adds a sample to the session, or a copy of one of another session of the same model. Without the engine's
 * function, or a sample that can be copied, or with many samples already: nothing. */
void drawing_join(drawing *d, size_t thread, size_t session);
void drawing_fork(drawing *d, size_t thread, size_t from, size_t into);

/* Adds a step that changes the samples of a session: join, leave, rewind, fork or a chunk. */
void drawing_change(drawing *d, size_t thread, size_t session);

#endif
