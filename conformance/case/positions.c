/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/positions.h"

#include <inttypes.h>

#include "base/error.h"
#include "conformance/case/decoder.h"
#include "conformance/case/members.h"
#include "conformance/case/prompt.h"

int32_t conf_positions_at(const conf_case *c, size_t axis, size_t sample, size_t t)
{
    const conf_decoder *d = &c->decoder;
    const size_t row = (axis * d->n_samples + sample) * d->n_tokens;
    return ((const int32_t *)c->positions.position.data)[row + conf_prompt_padding(d, sample) + t];
}

static assay_status check_positions(const conf_h5 *file, const conf_case *c, assay_error *err)
{
    for (size_t a = 0; a < c->positions.n_axes; a++)
        for (size_t b = 0; b < c->decoder.n_samples; b++)
            for (size_t t = 0; t < conf_prompt_length(&c->decoder, b); t++)
                if (conf_positions_at(c, a, b, t) < 0)
                    return assay_fail(err, ASSAY_EFORMAT,
                                      "%s: /expect/position: axis %zu, sample %zu, token %zu: found %" PRId32
                                      ", expected at least 0",
                                      conf_h5_path(file), a, b, t, conf_positions_at(c, a, b, t));
    return ASSAY_OK;
}

static assay_status note_members(const conf_h5 *file, conf_case *c, assay_error *err)
{
    static const char *const root[] = {"input", "expect", NULL};
    static const char *const expect[] = {"position", "delta", NULL};
    assay_status rc = conf_members_note(file, "/", root, &c->unknown, err);
    return rc == ASSAY_OK ? conf_members_note(file, "/expect", expect, &c->unknown, err) : rc;
}

/* The number of axes is that of the array; 3 if it is another than 3 and 4, which then does not fit. */
static assay_status read_axes(const conf_h5 *file, conf_positions *p, assay_error *err)
{
    const assay_status rc = conf_h5_shape(file, "/expect/position", &p->position, err);
    p->n_axes = rc == ASSAY_OK && p->position.rank == 3 && p->position.shape[0] == 4 ? 4 : 3;
    return rc;
}

assay_status conf_positions_read(const conf_h5 *file, conf_case *c, assay_error *err)
{
    const conf_decoder *d = &c->decoder;
    assay_status rc = note_members(file, c, err);
    if (rc == ASSAY_OK) rc = conf_decoder_read_prompts(file, c, err);
    if (rc == ASSAY_OK) rc = read_axes(file, &c->positions, err);
    if (rc == ASSAY_OK)
        rc = conf_array_read(file, "/expect/position", ASSAY_I32, 3,
                             (size_t[]){c->positions.n_axes, d->n_samples, d->n_tokens},
                             &c->positions.position, err);
    if (rc == ASSAY_OK)
        rc = conf_array_read(file, "/expect/delta", ASSAY_I32, 1, (size_t[]){d->n_samples},
                             &c->positions.delta, err);
    return rc == ASSAY_OK ? check_positions(file, c, err) : rc;
}

void conf_positions_free(conf_positions *p)
{
    conf_array_free(&p->position);
    conf_array_free(&p->delta);
}
