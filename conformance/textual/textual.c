/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual/textual.h"

#include "conformance/textual/dialogue.h"
#include "conformance/textual/eos.h"
#include "conformance/textual/events.h"
#include "conformance/textual/reply.h"
#include "conformance/textual/threads.h"
#include "conformance/textual/tokenizing.h"

static const conf_textual kinds[] = {
    {CONF_EOS, true, conf_eos_check, conf_eos_open, conf_eos_replay},
    {CONF_REASONING, true, conf_reasoning_check, conf_reply_open, conf_reply_replay},
    {CONF_TOOLS, true, conf_tools_check, conf_reply_open, conf_reply_replay},
    {CONF_EVENTS, true, conf_events_check, conf_events_open, conf_events_replay},
    {CONF_TOKENIZER, true, conf_tokenizing_check, conf_tokenizing_open, conf_tokenizing_replay},
    {CONF_DIALOGUE, false, conf_dialogue_check, conf_dialogue_open, conf_dialogue_replay},
    {CONF_THREADS, false, conf_threads_check, conf_threads_open, conf_threads_replay},
};

const conf_textual *conf_textual_of(conf_kind kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind) return &kinds[i];
    return NULL;
}
