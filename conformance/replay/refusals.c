/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/refusals.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define INVALID_TOKEN (-1)
#define NO_SAMPLE     SIZE_MAX

/* A way in which a list of steps is invalid. */
typedef enum fault {
    TOKEN,
    NO_TOKENS,
    UNKNOWN_SAMPLE,
    SAME_SAMPLE,
    TOO_MANY_ROWS,
    UNKNOWN_OUTPUT,
    N_FAULTS
} fault;

static const struct {
    const char *what;
    assay_status status;
} faults[N_FAULTS] = {
    [TOKEN] = {"a step with token -1", ASSAY_EINVAL},
    [NO_TOKENS] = {"a step without tokens", ASSAY_EINVAL},
    [UNKNOWN_SAMPLE] = {"a step of a sample that the session does not have", ASSAY_EINVAL},
    [SAME_SAMPLE] = {"a call with two steps of one sample", ASSAY_EINVAL},
    [TOO_MANY_ROWS] = {"a step that wants more rows than it has tokens", ASSAY_EINVAL},
    [UNKNOWN_OUTPUT] = {"a step that wants an output named no.such.output", ASSAY_EUNSUPPORTED},
};

/* Tries the steps with a fault in the last one. tried: [n + 1], tokens: as many as the last step has. */
static bool try_fault(conf_watch *w, fault f, const conf_sample_step *steps, size_t n, size_t padded_width,
                      conf_sample_step *tried, int32_t *tokens)
{
    memcpy(tried, steps, n * sizeof *tried);
    conf_sample_step *last = &tried[n - 1];
    memcpy(tokens, last->tokens, last->n_tokens * sizeof *tokens);
    if (f == TOKEN) tokens[last->n_tokens - 1] = INVALID_TOKEN;
    last->tokens = tokens;
    if (f == NO_TOKENS) last->n_tokens = last->n_last = 0;
    if (f == UNKNOWN_SAMPLE) last->sample = NO_SAMPLE;
    if (f == SAME_SAMPLE) tried[n++] = steps[0];
    if (f == TOO_MANY_ROWS) last->n_last = last->n_tokens + 1;
    if (f == UNKNOWN_OUTPUT) {
        last->output = "no.such.output";
        last->n_last = 1;
    }
    return conf_watch_step_fails(w, tried, n, padded_width, faults[f].status, faults[f].what);
}

static bool check_call(conf_watch *w, assay_status rc, assay_status expected, const char *what)
{
    if (rc == expected) return true;
    char found[STATUS_TEXT_MAX], wanted[STATUS_TEXT_MAX];
    conf_verdict_fail(conf_watch_verdict(w), CONF_CLASS_CONTRACT, "%s %s%s, expected %s", what,
                      rc == ASSAY_OK ? "does not fail" : "fails with ",
                      rc == ASSAY_OK ? "" : assay_status_print(rc, found),
                      assay_status_print(expected, wanted));
    return false;
}

/* Opens a session with options of a later version of the header. */
static bool try_later_options(conf_watch *w)
{
    const struct {
        assay_session_options known;
        uint64_t later;
    } options = {{.size = sizeof options, .n_samples = 1}, 1};
    assay_session *session = NULL;
    assay_error err;
    const assay_engine *e = conf_watch_engine(w);
    const assay_status rc = e->session_open(conf_watch_model(w), &options.known, &session, &err);
    if (rc == ASSAY_OK) e->session_free(session);
    return check_call(w, rc, ASSAY_EUNSUPPORTED,
                      "session_open with an option that this header does not have");
}

/* Calls with samples and numbers of tokens that the session does not have. */
static bool try_calls(conf_watch *w, size_t sample)
{
    const assay_engine *e = conf_watch_engine(w);
    assay_session *session = conf_watch_session(w);
    assay_error err;
    size_t forked;
    bool ok = true;
    if (e->leave)
        ok = check_call(w, e->leave(session, NO_SAMPLE, &err), ASSAY_EINVAL,
                        "leave with a sample that the session does not have");
    if (ok && e->rewind)
        ok = check_call(w, e->rewind(session, NO_SAMPLE, 0, &err), ASSAY_EINVAL,
                        "rewind of a sample that the session does not have") &&
             check_call(w, e->rewind(session, sample, SIZE_MAX, &err), ASSAY_EINVAL,
                        "rewind to more tokens than the sample has");
    if (ok && e->fork)
        ok = check_call(w, e->fork(session, NO_SAMPLE, session, &forked, &err), ASSAY_EINVAL,
                        "fork of a sample that the session does not have");
    return ok;
}

bool conf_refusals_try(conf_watch *w, const conf_sample_step *steps, size_t n, size_t padded_width)
{
    conf_sample_step *tried = calloc(n + 1, sizeof *tried);
    int32_t *tokens = malloc(steps[n - 1].n_tokens * sizeof *tokens);
    bool ok = tried && tokens;
    if (!ok)
        conf_verdict_set(conf_watch_verdict(w), CONF_BROKEN, "out of memory in the harness for %zu steps", n);
    for (fault f = 0; ok && f < N_FAULTS; f++) ok = try_fault(w, f, steps, n, padded_width, tried, tokens);
    if (ok) ok = try_calls(w, steps[0].sample) && try_later_options(w);
    free(tried);
    free(tokens);
    return ok;
}
