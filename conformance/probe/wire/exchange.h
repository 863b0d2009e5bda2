/* One HTTP request and its answer as bytes, with the times at which they arrived.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_WIRE_EXCHANGE_H
#define CONFORMANCE_PROBE_WIRE_EXCHANGE_H

#include <assay/status.h>

#include "base/buffer.h"

#define PROBE_LABEL_MAX 128

/* How an exchange ended. */
typedef enum probe_end {
    PROBE_UNSENT,
    PROBE_ANSWERED,    /* the answer is complete */
    PROBE_LEFT,        /* the client closed the connection, as the exchange asks */
    PROBE_TIMEOUT,     /* no complete answer within the time limit */
    PROBE_REDIRECTED,  /* a status 300 to 399, which is never followed */
    PROBE_TOO_LONG,    /* more bytes than PROBE_BODY_MAX, or than PROBE_HEADERS_MAX of headers */
    PROBE_BROKEN_OFF,  /* the connection failed, or ended before the announced length */
    PROBE_NOT_REACHED, /* no connection was made */
    PROBE_NOT_SAVED,   /* a saved run has no such exchange, or one with another request; or it was left out */
    PROBE_OUT_OF_TIME, /* the time of the whole probe was over before it ended */
    PROBE_N_ENDS
} probe_end;

/* "answered", "timeout", …: as in saved runs. */
const char *probe_end_name(probe_end end);
/* PROBE_N_ENDS for an unknown name. */
probe_end probe_end_find(const char *name);

#define PROBE_BODY_MAX     ((size_t)64 << 20)
#define PROBE_HEADERS_MAX  ((size_t)256 << 10)
#define PROBE_ARRIVALS_MAX ((size_t)1 << 16)

/* Bytes of the body up to `n_bytes` had arrived `seconds` after the start. */
typedef struct probe_arrival {
    size_t n_bytes;
    double seconds;
} probe_arrival;

/* Times are in seconds since the start of the run of exchanges that it belongs to; -1: never. began: that
 * start on the client's clock, in seconds since 1970; 0: a saved run does not say. */
typedef struct probe_exchange {
    char label[PROBE_LABEL_MAX]; /* unique in a probe: "protocol/chat/stream/limit" */
    char path[PROBE_LABEL_MAX];  /* "/v1/chat/completions" */
    bool get;                    /* GET without a body, else POST */
    buffer request;              /* the body */
    double delay;                /* it is sent this long after the start */
    double seconds;              /* the longest time for a complete answer; 0: that of the probe */
    size_t leave_after;          /* the client closes the connection after so many bytes; 0: never */

    probe_end end;
    int status; /* of HTTP; 0: no answer */
    char content_type[96];
    char why[256]; /* why it did not end with PROBE_ANSWERED, "" otherwise */
    buffer body;
    double began, sent, first, last;
    probe_arrival *arrivals; /* [n_arrivals], by time; at most PROBE_ARRIVALS_MAX */
    size_t n_arrivals;
} probe_exchange;

/* Makes an exchange that is not sent yet. label and path are cut to fit. */
void probe_exchange_begin(probe_exchange *x, const char *label, const char *path);
void probe_exchange_free(probe_exchange *x);

/* Adds bytes of the answer's body that arrived at `seconds`. False if out of memory. */
bool probe_exchange_arrive(probe_exchange *x, const char *bytes, size_t n, double seconds);

/* Sets the end and the reason, which is cut to fit. */
void probe_exchange_end(probe_exchange *x, probe_end end, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether the answer is complete and its status is 200 to 299. */
bool probe_exchange_succeeded(const probe_exchange *x);

/* Whether nothing can be said of the server: the exchange was not saved, or was not made. */
bool probe_exchange_is_missing(const probe_exchange *x);

/* Whether the answer is complete and its status is 400 to 499. */
bool probe_exchange_refused(const probe_exchange *x);

#endif
