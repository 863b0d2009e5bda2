/* The answers of the oracle.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_TESTS_ORACLE_ANSWER_H
#define CONFORMANCE_PROBE_TESTS_ORACLE_ANSWER_H

#include "base/buffer.h"
#include "conformance/probe/tests/oracle.h"

/* What all processes of an oracle share. */
typedef struct oracle_shared {
    int n_running, n_answers, n_leaked, n_ids;
    bool cached[PROBE_PROMPTS_MAX]; /* of the truth's prompts */
} oracle_shared;

/* Receives a body piece by piece; false: the client has gone. */
typedef struct oracle_out {
    bool (*put)(void *context, const char *bytes, size_t n);
    void *context;
} oracle_out;

/* Appends bytes [n] of a body to *out, with the planted replacement. */
void oracle_replace(const oracle *o, bool streams, const char *bytes, size_t n, buffer *out);

/* Answers a request. *status: of HTTP; *streams: whether the body is a stream. Pieces of a whole body are
 * passed on at its end, those of a stream one by one. begin: called before the first piece. */
void oracle_answer(const oracle *o, const char *path, assay_text request,
                   void (*begin)(void *context, int status, bool streams), const oracle_out *out);

#endif
