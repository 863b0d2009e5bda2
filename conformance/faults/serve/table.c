/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/serve/fault.h"

#include <stdlib.h>
#include <string.h>

const served_fault SERVED_FAULTS[] = {
    {"stop-tokenizer-only",
     "only the tokenizer's stop id ends an answer",
     {"gemma4", "text", "text/chat", "failed", "breaks", "expected"},
     .model = served_stop_tokenizer},
    {"stop-text-ignored",
     "stop texts are accepted and have no effect",
     {"qwen3", "protocol", "protocol/chat/whole/stop/content", "ignored", "breaks", "has no effect"},
     .no_stop_texts = true},
    {"usage-zero",
     "prompts are said to have no tokens",
     {"qwen3", "protocol", "protocol/chat/whole/natural/usage", "failed", "departs",
      "found 0 tokens of input"},
     .chunk = served_usage_zero},
    {"usage-more",
     "one generated token too many is counted",
     {"qwen3", "protocol", "protocol/messages/stream/natural/usage", "failed", "departs",
      "of output, expected"},
     .chunk = served_usage_more},
    {"role-twice",
     "every chunk of chat completions has a role",
     {"qwen3", "protocol", "protocol/chat/stream/natural/grammar", "failed", "habit", "chat-role"},
     .from = "\"delta\":{\"content\"",
     .to = "\"delta\":{\"role\":\"assistant\",\"content\""},
    {"block-twice",
     "messages open a block twice",
     {"qwen3", "protocol", "protocol/messages/stream/natural/grammar", "failed", "departs",
      "messages-block: found content_block_start while a block is open"},
     .piece = served_block_twice},
    {"done-early",
     "responses say that a text is done before its last delta",
     {"qwen3", "protocol", "protocol/responses/stream/natural/grammar", "failed", "departs",
      "responses-done"},
     .piece = served_done_early},
    {"no-done",
     "streams end without [DONE]",
     {"qwen3", "protocol", "protocol/chat/stream/natural/grammar", "failed", "departs", "chat-done"},
     .from = "data: [DONE]\n\n",
     .to = ""},
    {"finish-stop",
     "an answer that was cut says that it ended",
     {"qwen3", "protocol", "protocol/chat/whole/limit/finish", "failed", "breaks", "found stop"},
     .chunk = served_finish_stop},
    {"think-in-content",
     "reasoning that was cut is in content, with its marker",
     {"qwen3", "protocol", "protocol/chat/whole/limit/markers", "failed", "breaks",
      "found <think> in content"},
     .piece = served_think_in_content},
    {"logprob-of-other-id",
     "the logprob of a sampled token is that of another one",
     {"qwen3", "numerics", "numerics/chat/same", "failed", "breaks", "among the alternatives"},
     .logprobs = served_other_id},
    {"logprobs-zero",
     "all logprobs are 0",
     {"qwen3", "numerics", "numerics/chat/change", "failed", "breaks", "every log-probability is 0"},
     .logprobs = served_all_zero},
    {"logprobs-warm",
     "logprobs are those after the temperature",
     {"qwen3", "numerics", "numerics/chat/temperature", "failed", "departs",
      "a temperature of 0.5 was applied"},
     .logits = served_warm},
    {"cache-bf16",
     "keys and values are rounded to bfloat16, under a claim of float32",
     {"qwen3", "numerics", "numerics/echo/served-type", "failed", "breaks", "times the noise of f32"},
     .engine = "cache-bf16"},
    {"blocks-by-tokens",
     "a block of tokens gets the keys of one with the same tokens, whatever preceded it",
     {"qwen3", "numerics", "numerics/echo/served-type", "failed", "breaks", "times the noise of f32"},
     .engine = "blocks-by-tokens"},
    {"neighbours",
     "samples of one step change each other's rows",
     {"qwen3", "batching", "batching/identical", "failed", "breaks", "divergent"},
     .after = served_neighbours},
    {"prompt-cache-off",
     "a prompt cache takes one token too many from the prompt before",
     {"qwen3", "batching", "batching/after", "failed", "breaks", "divergent"},
     .before = served_cache_off},
    {"tail",
     "an answer begins with the end of the one before it",
     {"qwen3", "batching", "batching/after", "failed", "breaks", "divergent"},
     .chunk = served_tail},
    {"abort-leaks",
     "the sample of a client that has gone is never removed",
     {"qwen3", "batching", "batching/released", "failed", "breaks", "requests are running"},
     .before = served_slowly,
     .leaks = true},
    {"unknown-model",
     "an unknown model is answered with status 200 and nothing",
     {"qwen3", "protocol", "protocol/chat/refuses/unknown-model", "ignored", "departs",
      "found status 200, expected status 404"},
     .silent = true},
    {"seed-ignored",
     "the seed of a request has no effect",
     {"qwen3", "protocol", "protocol/chat/effects/seed", "ignored", "departs", "have different answers"},
     .request = served_no_seed},
};

const size_t N_SERVED_FAULTS = sizeof SERVED_FAULTS / sizeof *SERVED_FAULTS;

const served_fault *served_planted(void)
{
    static const served_fault none = {0};
    static const served_fault *planted;
    if (planted) return planted;
    const char *name = getenv("ASSAY_FAULT");
    const served_fault *found = &none;
    for (size_t i = 0; name && i < N_SERVED_FAULTS; i++)
        if (strcmp(SERVED_FAULTS[i].name, name) == 0) found = &SERVED_FAULTS[i];
    planted = found;
    return found;
}
