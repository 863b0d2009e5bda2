/* A probe under way: the server, the truth, what the server offers, and the rows of the report.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_RUN_RUN_H
#define CONFORMANCE_PROBE_RUN_RUN_H

#include "conformance/probe/answer/answer.h"
#include "conformance/probe/run/finding.h"
#include "conformance/probe/truth/truth.h"
#include "conformance/probe/wire/wire.h"

/* Vocabularies up to this size are asked for whole. */
#define PROBE_WHOLE_MAX 4096

/* What an endpoint offers. top: the most alternatives of each token that it returns; whole: it returns the
 * whole vocabulary, perhaps one of several tokens of the same text. by_flag: a request of
 * completions asks for log-probabilities as one of chat completions does. bare: it refuses
 * chat_template_kwargs. */
typedef struct probe_offer {
    bool is_there, logprobs, by_flag, whole, bare;
    size_t top;
} probe_offer;

/* What discovery found. takes_ids: a prompt of completions may be token ids. adds_first: a text for
 * completions gets the token `first` (<bos>) also where it begins with it, so that the text is sent without.
 * echo, prompt_logprobs: the two ways to the log-probabilities of a prompt. seconds: the time of a short
 * request alone. refuses_key: an endpoint answers with status 401 or 403. unusable: the server is not
 * reached, or nothing can be asked without a key. */
typedef struct probe_server {
    probe_offer at[PROBE_N_ENDPOINTS];
    bool takes_ids, adds_first, echo, prompt_logprobs, metrics, model_is_guessed, refuses_key, unusable;
    int32_t first;
    double seconds;
    size_t n_positions; /* of the model, as the server lists it (max_model_len); 0: it does not say */
} probe_server;

typedef struct probe_run {
    const probe_truth *truth;
    probe_wire *wire;
    unsigned endpoints;      /* bits of those that are asked; 0: all */
    const char *const *only; /* [n_only], what is asked (probe_wants); none: everything */
    size_t n_only;
    probe_type type;     /* the claim: the type that the server computes in */
    bool quick;          /* checks that ask many prompts ask a few */
    char *model;         /* the name of the model in requests; owned */
    char *observations;  /* a directory for observations; NULL: none is wanted; owned */
    const char *key_env; /* the variable with the key, for REPRO lines; NULL: none */
    probe_server server;
    probe_findings findings;
    struct probe_notes *notes; /* of the fields of all answers (fields/notes.h); owned */
} probe_run;

/* Adds a row to the report. x: the exchange that shows it, from which its command is made; may be NULL. Where
 * it is missing (probe_exchange_is_missing), the verdict is PROBE_NOT_EXERCISED. */
probe_finding *probe_report(probe_run *r, const probe_exchange *x, const char *check, probe_verdict verdict,
                            probe_grade grade, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* How many prompts a check asks that asks at most `most`. */
size_t probe_prompts_most(const probe_run *r, size_t most);

/* Whether something is asked for: a check, or all checks whose names begin so, "protocol/chat/stream". It is
 * if the run names it, a beginning of it, or one that it begins, which end where a part of a name does. */
bool probe_wants(const probe_run *r, const char *check);

/* Whether one of two names of checks begins the other one, and ends where a part of its name does. */
bool probe_name_begins(const char *a, const char *b);

/* Whether the probe is about an endpoint. */
bool probe_asks(const probe_run *r, probe_endpoint e);

/* Makes one exchange. Fails as probe_wire_run does. */
assay_status probe_send(probe_run *r, probe_exchange *x, assay_error *err);

/* Describes in one line what an exchange gave instead of a complete answer with a status below 300. */
void probe_describe_failure(const probe_exchange *x, char *text, size_t size);

/* Makes the label of an exchange, or the name of a check. */
#define PROBE_LABEL(name, ...)                                                                               \
    char name[PROBE_LABEL_MAX];                                                                              \
    (void)snprintf(name, sizeof name, __VA_ARGS__)

#endif
