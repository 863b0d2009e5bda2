/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/stopper.h"

#include <string.h>

#include "conformance/replay/follow.h"
#include "conformance/replay/session.h"

/* assay_tap_fn */
static bool stop_step(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    conf_stopper *s = context;
    (void)sample;
    (void)data;
    s->n_calls += !s->removed;
    s->n_late += s->removed;
    s->n_others += !tensor->name || strcmp(tensor->name, s->name) != 0;
    return s->removed;
}

static bool set_tap(conf_replay *r, assay_session *session, const assay_tap *tap)
{
    assay_error err = {0};
    const assay_status rc = r->engine->tap(session, tap, &err);
    return rc == ASSAY_OK ? true : conf_replay_refused(r, rc, &err);
}

/* The session has the tap that it had before: none, or that of r->follow. */
static bool restore_tap(conf_replay *r, assay_session *session)
{
    assay_error err = {0};
    if (!r->follow) return set_tap(r, session, NULL);
    const assay_status rc = conf_follow_tap(r->follow, r->engine, session, &err);
    return rc == ASSAY_OK ? true : conf_replay_refused(r, rc, &err);
}

bool conf_stopper_stop(conf_stopper *s, conf_replay *r, conf_watch *watch, conf_sample_step *steps,
                       size_t n_steps, size_t padded_width)
{
    const assay_tap tap = {
        .size = sizeof tap, .fn = stop_step, .context = s, .names = &s->name, .n_names = 1};
    assay_session *session = conf_watch_session(watch);
    s->removed = set_tap(r, session, &tap) &&
                 conf_watch_step_fails(watch, steps, n_steps, padded_width, ASSAY_ESTOPPED,
                                       "a step that a tap stops") &&
                 restore_tap(r, session);
    if (!s->removed) return false;
    if (s->n_others)
        conf_verdict_fail(r->verdict, CONF_CLASS_CONTRACT,
                          "a tap gets tensors other than %.100s, the only one that it names", s->name);
    else if (s->n_calls > 1)
        conf_verdict_fail(r->verdict, CONF_CLASS_CONTRACT, "a tap that stops a step is called again in it");
    return r->verdict->outcome != CONF_FAILED;
}

bool conf_stopper_check(const conf_stopper *s, conf_verdict *v)
{
    if (!s->n_late) return true;
    conf_verdict_fail(v, CONF_CLASS_CONTRACT, "a tap is called after it was removed");
    return false;
}
