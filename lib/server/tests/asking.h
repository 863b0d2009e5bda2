/* Asks a scheduler, for tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_TESTS_ASKING_H
#define SERVER_TESTS_ASKING_H

#include <time.h>

#include "base/buffer.h"
#include "server/evaluate/scheduler.h"
#include "server/request/read.h"

/* A scheduler over the toy engine, with the tokenizer of fixtures/trained/qwen3. */
typedef struct asking {
    server_model *model;
    server_requests *requests;
    server_metrics *metrics;
    server_scheduler *scheduler;
} asking;

extern const server_scheduler_options asking_usual, asking_one; /* 32 samples at once; 1, and 2 that wait */

void asking_open(asking *a, const assay_engine *engine, const server_scheduler_options *options);
/* The engine has no sample after that, which is checked. */
void asking_close(asking *a);

/* The question for a text completion of n tokens, the same for the same seed. members: further members of the
 * request, each with a comma before it; "". The caller frees the result. */
char *asking_question(size_t n_tokens, unsigned seed, const char *members);

/* An answer that is awaited. */
typedef struct asked {
    server_exchange *exchange;
    server_submitted submitted;
    int status;
    buffer body;
} asked;

/* Submits a question, which is freed. The answers to equal questions have the same id. */
void asking_ask(asking *a, char *question, asked *out);
/* Takes what there is of the answer. Returns whether it has ended. */
bool asking_take(asked *q);
/* Takes the whole answer; fails the test after a minute. */
void asking_wait(asked *q);
/* Fails the test unless two answers have the same status and bytes. */
void asking_expect_same(const asked *a, const asked *b);
void asking_free(asked *q);

/* Waits until a condition on the engine's counts holds; fails the test after 60 seconds. */
#define WAIT_FOR(condition)                                                                                  \
    do {                                                                                                     \
        const struct timespec tick = {.tv_nsec = 1000000};                                                   \
        const time_t start = time(NULL);                                                                     \
        while (!(condition)) {                                                                               \
            ck_assert_msg(time(NULL) - start < 60, #condition);                                              \
            (void)nanosleep(&tick, NULL);                                                                    \
        }                                                                                                    \
    } while (0)

#endif
