/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/cut/write_positions.h"

#include <stdlib.h>

#include "base/error.h"
#include "conformance/case/positions.h"
#include "conformance/case/prompt.h"

assay_status conf_cut_write_positions(const conf_whole *whole, const conf_cut *cut, conf_h5_writer *w,
                                      assay_error *err)
{
    const conf_case *c = whole->c;
    const size_t n_axes = c->positions.n_axes, n_samples = conf_cut_samples(whole, cut);
    const size_t width = conf_cut_longest_prompt(whole, cut);
    int32_t *position = calloc(n_axes * n_samples * width, sizeof *position); /* 0 on padding */
    int32_t *delta = calloc(n_samples, sizeof *delta);
    if (!position || !delta) {
        free(position);
        free(delta);
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    for (size_t b = 0, to = 0; b < c->decoder.n_samples; b++) {
        const size_t n = conf_prompt_length(&c->decoder, b);
        if (!cut->samples[b]) continue;
        for (size_t a = 0; a < n_axes; a++)
            for (size_t t = 0; t < n; t++)
                position[(a * n_samples + to) * width + width - n + t] = conf_positions_at(c, a, b, t);
        delta[to++] = ((const int32_t *)c->positions.delta.data)[b];
    }
    conf_h5_write_ids(w, "/expect/position", 3, (size_t[]){n_axes, n_samples, width}, position);
    conf_h5_write_ids(w, "/expect/delta", 1, &n_samples, delta);
    free(position);
    free(delta);
    return ASSAY_OK;
}
