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

static const conf_textual_prefix pieces = {"ids", "pieces", "text"}, outcomes = {"program", "outcome", NULL};

static const conf_kind_info kinds[CONF_N_KINDS] = {
    [CONF_LOGITS] = {.name = "logits", .has_model = true, .has_decoder = true},
    [CONF_GENERATE] = {.name = "generate", .has_model = true, .has_decoder = true},
    [CONF_ROPE] = {.name = "rope"},
    [CONF_POSITIONS] = {.name = "positions", .has_model = true},
    [CONF_EOS] = {.name = "eos",
                  .textual = true,
                  .vectors = {.shares_process = true,
                              .check = conf_eos_check,
                              .open = conf_eos_open,
                              .replay = conf_eos_replay,
                              .answer = conf_eos_answer}},
    [CONF_REASONING] = {.name = "reasoning",
                        .textual = true,
                        .vectors = {.shares_process = true,
                                    .check = conf_reasoning_check,
                                    .open = conf_reply_open,
                                    .replay = conf_reply_replay,
                                    .answer = conf_reply_answer}},
    [CONF_TOOLS] = {.name = "tools",
                    .textual = true,
                    .vectors = {.shares_process = true,
                                .check = conf_tools_check,
                                .open = conf_reply_open,
                                .replay = conf_reply_replay,
                                .answer = conf_reply_answer}},
    [CONF_EVENTS] = {.name = "events",
                     .textual = true,
                     .vectors = {.shares_process = true,
                                 .check = conf_events_check,
                                 .open = conf_events_open,
                                 .replay = conf_events_replay,
                                 .answer = conf_events_answer}},
    [CONF_TOKENIZER] = {.name = "tokenizer",
                        .textual = true,
                        .has_model = true,
                        .vectors = {.shares_process = true,
                                    .check = conf_tokenizing_check,
                                    .open = conf_tokenizing_open,
                                    .replay = conf_tokenizing_replay,
                                    .finish = conf_tokenizing_finish,
                                    .answer = conf_tokenizing_answer,
                                    .prefix = &pieces}},
    [CONF_DIALOGUE] = {.name = "dialogue",
                       .textual = true,
                       .has_model = true,
                       .vectors = {.shares_process = false,
                                   .check = conf_dialogue_check,
                                   .open = conf_dialogue_open,
                                   .replay = conf_dialogue_replay,
                                   .answer = conf_dialogue_answer}},
    [CONF_THREADS] = {.name = "threads",
                      .textual = true,
                      .vectors = {.shares_process = false,
                                  .check = conf_threads_check,
                                  .open = conf_threads_open,
                                  .replay = conf_threads_replay,
                                  .prefix = &outcomes}},
    [CONF_TEMPLATE] = {.name = "template",
                       .textual = true,
                       .vectors = {.shares_process = true,
                                   .check = conf_rendering_check,
                                   .open = conf_rendering_open,
                                   .replay = conf_rendering_replay,
                                   .answer = conf_rendering_answer}},
    [CONF_PREPROCESS] = {.name = "preprocess",
                         .textual = true,
                         .vectors = {.shares_process = true,
                                     .check = conf_preprocess_check,
                                     .open = conf_preprocess_open,
                                     .replay = conf_preprocess_replay,
                                     .answer = conf_preprocess_answer}},
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
