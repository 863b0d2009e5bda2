/* SPDX-License-Identifier: Apache-2.0 */
#include "server/evaluate/seats.h"

#include <stdlib.h>

#include "base/error.h"

struct server_seats {
    const server_model *model;
    assay_session *shared; /* NULL: each sample has a session */
};

static assay_status open_session(const server_model *m, size_t n_samples, size_t max_tokens,
                                 assay_session **out, assay_error *err)
{
    const assay_session_options options = {
        .size = sizeof options, .n_samples = n_samples, .max_tokens = max_tokens};
    return m->engine->session_open(m->model, &options, out, err);
}

assay_status server_seats_open(const server_model *model, server_seats **out, assay_error *err)
{
    server_seats *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "sessions: out of memory");
    s->model = model;
    if (model->engine->join && model->engine->leave) {
        const assay_status rc = open_session(model, 0, 0, &s->shared, err);
        if (rc != ASSAY_OK) {
            free(s);
            return rc;
        }
    }
    *out = s;
    return ASSAY_OK;
}

void server_seats_free(server_seats *s)
{
    if (!s) return;
    if (s->shared) s->model->engine->session_free(s->shared);
    free(s);
}

assay_status server_seats_take(server_seats *s, size_t max_tokens, server_seat *out, assay_error *err)
{
    server_seat seat = {.session = s->shared};
    const assay_status rc = s->shared ? s->model->engine->join(s->shared, &seat.sample, err)
                                      : open_session(s->model, 1, max_tokens, &seat.session, err);
    if (rc == ASSAY_OK) *out = seat;
    return rc;
}

assay_status server_seats_copy(server_seats *s, const server_seat *from, server_seat *out, assay_error *err)
{
    server_seat seat = {.session = s->shared};
    if (!s->shared || !s->model->engine->fork)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "the engine cannot copy a sample");
    const assay_status rc = s->model->engine->fork(from->session, from->sample, s->shared, &seat.sample, err);
    if (rc == ASSAY_OK) *out = seat;
    return rc;
}

void server_seats_give_up(server_seats *s, server_seat *seat)
{
    if (!seat->session) return;
    if (s->shared) (void)s->model->engine->leave(seat->session, seat->sample, NULL);
    else s->model->engine->session_free(seat->session);
    *seat = (server_seat){0};
}
