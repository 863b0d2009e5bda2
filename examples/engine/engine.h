/* Sessions of the engine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLE_ENGINE_H
#define EXAMPLE_ENGINE_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct sample {
    int32_t *tokens; /* [n_tokens] */
    size_t n_tokens;
    bool left; /* a sample that joins may have its number */
} sample;

struct assay_session {
    const assay_model *model;
    size_t limit, sink_tokens; /* as in assay_session_options */
    assay_tap tap;             /* fn NULL: none */
    size_t n_samples;
    sample *samples; /* [n_samples] */
};

#endif
