/* Samples of the engine. An engine with join and leave has one session for all of them, else each has a
 * session of its own.
 *
 * Used by one thread.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_EVALUATE_SEATS_H
#define SERVER_EVALUATE_SEATS_H

#include "server/job/model.h"

/* A sample of a session. session NULL: none. */
typedef struct server_seat {
    assay_session *session;
    size_t sample;
} server_seat;

typedef struct server_seats server_seats;

/* model: borrowed until server_seats_free, before which all seats must be given up. Fails as session_open
 * does, and with ASSAY_ENOMEM. */
assay_status server_seats_open(const server_model *model, server_seats **out, assay_error *err);
void server_seats_free(server_seats *s);

/* Adds a sample without tokens, of at most max_tokens tokens. Fails as join or session_open do. */
assay_status server_seats_take(server_seats *s, size_t max_tokens, server_seat *out, assay_error *err);
/* Adds a copy of a sample. ASSAY_EUNSUPPORTED if the engine cannot. */
assay_status server_seats_copy(server_seats *s, const server_seat *from, server_seat *out, assay_error *err);
/* Removes a sample, and sets *seat to none. */
void server_seats_give_up(server_seats *s, server_seat *seat);

#endif
