/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/attempt_texts.h"

#include "conformance/process/interrupt.h"
#include "conformance/reduce/texts/write.h"

bool conf_attempt_texts_run(conf_reducing *r, conf_verdict *v)
{
    char path[4096];
    conf_attempt_trial(r, path, sizeof path);
    const conf_texts_writing writing = {r->texts, &r->texts->trial, path, r->reference};
    *v = (conf_verdict){0};
    r->rc = conf_isolate(conf_texts_write, &writing, &r->assignment.limits, v, r->err);
    if (r->rc != ASSAY_OK || conf_interrupted()) return false;
    return v->outcome != CONF_PASSED || conf_attempt_evaluate(r, NULL, path, v);
}

bool conf_attempt_texts(conf_reducing *r, const char *what)
{
    conf_texts *texts = r->texts;
    const bool computed = conf_texts_computed(texts, &texts->trial);
    char path[4096], why[CONF_TEXT_MAX] = "";
    conf_verdict v;
    if (conf_attempt_is_over(r) || conf_texts_count(texts, &texts->trial) == 0) return false;
    if ((computed && !r->reference) || conf_attempt_was_tried(r, conf_texts_hash(texts, &texts->trial)))
        return false;
    r->n_attempts++;
    if (!conf_attempt_texts_run(r, &v)) return false;
    conf_attempt_trial(r, path, sizeof path);
    const bool fails = conf_attempt_is_same(&r->symptom, false, &v, why, sizeof why) &&
                       conf_attempt_is_sound(r, path, why, sizeof why);
    if (conf_interrupted() || r->rc != ASSAY_OK) return false;
    if (fails) {
        conf_texts_copy(texts, &texts->best, &texts->trial);
        conf_attempt_keep(r, computed, &v);
    }
    char size[160];
    conf_texts_print(texts, &texts->trial, size, sizeof size);
    conf_attempt_print(r, what, size, !fails ? why : computed ? CONF_SAME_COMPUTED : CONF_SAME_RECORDED);
    return fails && r->rc == ASSAY_OK;
}
