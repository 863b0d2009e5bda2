/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/kinds/kinds.h"

#include <string.h>

#include "base/error.h"
#include "conformance/textual/dialogue.h"
#include "conformance/textual/eos.h"
#include "conformance/textual/events_read.h"
#include "conformance/textual/events_replay.h"
#include "conformance/textual/preprocess.h"
#include "conformance/textual/rendering.h"
#include "conformance/textual/reply.h"
#include "conformance/textual/threads.h"
#include "conformance/textual/threads_read.h"
#include "conformance/textual/threads_replay.h"
#include "conformance/textual/tokenizing.h"

static const conf_kind_info kinds[CONF_N_KINDS] = {
    [CONF_LOGITS] = {.name = "logits", .has_model = true, .has_decoder = true},
    [CONF_GENERATE] = {.name = "generate", .has_model = true, .has_decoder = true},
    [CONF_ROPE] = {.name = "rope"},
    [CONF_POSITIONS] = {.name = "positions", .has_model = true},
    [CONF_EOS] = {.name = "eos",
                  .textual = true,
                  .vectors = {true, conf_eos_check, conf_eos_open, conf_eos_replay, NULL}},
    [CONF_REASONING] = {.name = "reasoning",
                        .textual = true,
                        .vectors = {true, conf_reasoning_check, conf_reply_open, conf_reply_replay, NULL}},
    [CONF_TOOLS] = {.name = "tools",
                    .textual = true,
                    .vectors = {true, conf_tools_check, conf_reply_open, conf_reply_replay, NULL}},
    [CONF_EVENTS] = {.name = "events",
                     .textual = true,
                     .vectors = {true, conf_events_check, conf_events_open, conf_events_replay, NULL}},
    [CONF_TOKENIZER] = {.name = "tokenizer",
                        .textual = true,
                        .has_model = true,
                        .vectors = {true, conf_tokenizing_check, conf_tokenizing_open, conf_tokenizing_replay,
                                    conf_tokenizing_finish}},
    [CONF_DIALOGUE] = {.name = "dialogue",
                       .textual = true,
                       .has_model = true,
                       .vectors = {false, conf_dialogue_check, conf_dialogue_open, conf_dialogue_replay,
                                   NULL}},
    [CONF_THREADS] = {.name = "threads",
                      .textual = true,
                      .vectors = {false, conf_threads_check, conf_threads_open, conf_threads_replay, NULL}},
    [CONF_TEMPLATE] = {.name = "template",
                       .textual = true,
                       .vectors = {true, conf_rendering_check, conf_rendering_open, conf_rendering_replay,
                                   NULL}},
    [CONF_PREPROCESS] = {.name = "preprocess",
                         .textual = true,
                         .vectors = {true, conf_preprocess_check, conf_preprocess_open,
                                     conf_preprocess_replay, NULL}},
    [CONF_SCHEDULE] = {.name = "schedule",
                       .textual = true,
                       .auxiliary = true,
                       .refusal = "a schedule: assay schedule --replay runs it"},
    [CONF_OBSERVATION] = {.name = "observation",
                          .auxiliary = true,
                          .refusal = "an observation of an engine, not a case"},
};

const conf_kind_info *conf_kind_of(conf_kind kind)
{
    return &kinds[kind];
}

assay_status conf_kind_find(const char *path, const char *name, bool textual, conf_kind *out,
                            assay_error *err)
{
    for (conf_kind k = 0; k < CONF_N_KINDS; k++) {
        if (strcmp(kinds[k].name, name) != 0 || kinds[k].textual != textual) continue;
        *out = k;
        return ASSAY_OK;
    }
    return assay_fail(err, ASSAY_EFORMAT, "%s: kind \"%.40s\" is unknown to this version", path, name);
}
