/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/fields/members.h"

enum {
    C = 1 << PROBE_CHAT,
    L = 1 << PROBE_COMPLETIONS,
    M = 1 << PROBE_MESSAGES,
    R = 1 << PROBE_RESPONSES,
    ALL = C | L | M | R
};

#define BY(name, endpoints, check)                                                                           \
    {                                                                                                        \
        name, endpoints, check, NULL, false                                                                  \
    }
#define FREE(name, endpoints, reason)                                                                        \
    {                                                                                                        \
        name, endpoints, NULL, reason, false                                                                 \
    }
#define LATER(name, endpoints)                                                                               \
    {                                                                                                        \
        name, endpoints, NULL, "not judged yet", true                                                        \
    }

#define UNSEEN   "changes nothing of the answer"
#define PLATFORM "a state, a tool or a model of a provider's platform"

/* OpenAI API reference and Anthropic API reference; what vllm and llama.cpp add for sampling and
 * log-probabilities has their meaning. */
static const probe_member members[] = {
    BY("model", ALL, "protocol/{e}/refuses/unknown-model"),
    BY("messages", C | M, "protocol/{e}/*/prompt/long"),
    BY("input", R, "protocol/{e}/*/prompt/long"),
    BY("prompt", L, "text/{e}"),
    BY("system", M, "protocol/{e}/*/prompt/system"),
    BY("instructions", R, "protocol/{e}/*/prompt/instructions"),
    BY("tools", C | M | R, "protocol/{e}/*/call/fields"),
    BY("tool_choice: none", C | M | R, "protocol/{e}/*/effects/tool-choice"),
    LATER("tool_choice: required, or a tool", C | M | R),
    LATER("tools[].strict", C | M | R),
    BY("parallel_tool_calls", C | R, "protocol/{e}/*/effects/parallel-calls"),
    BY("tool_choice.disable_parallel_tool_use", M, "protocol/{e}/*/effects/parallel-calls"),
    BY("stream", ALL, "protocol/{e}/stream/*/form"),
    BY("stream_options.include_usage", C | L, "protocol/{e}/stream/*/usage"),
    FREE("stream_options.include_obfuscation", C | L | R, "padding of random length"),
    BY("max_tokens", C | L | M, "protocol/{e}/*/limit/finish"),
    BY("max_output_tokens", R, "protocol/{e}/*/limit/finish"),
    BY("max_tokens: none", C | L, "protocol/{e}/*/no-limit/finish"),
    BY("max_output_tokens: none", R, "protocol/{e}/*/no-limit/finish"),
    BY("max_completion_tokens", C, "protocol/{e}/*/effects/max-completion-tokens"),
    BY("temperature", ALL, "protocol/{e}/*/effects/temperature"),
    BY("top_p", ALL, "protocol/{e}/*/effects/top-p"),
    BY("top_k", ALL, "protocol/{e}/*/effects/top-k"),
    BY("min_p", C | L | R, "protocol/{e}/*/effects/min-p"),
    BY("presence_penalty", C | L, "protocol/{e}/*/effects/presence-penalty"),
    BY("frequency_penalty", C | L, "protocol/{e}/*/effects/frequency-penalty"),
    BY("repetition_penalty", C | L | R, "protocol/{e}/*/effects/repetition-penalty"),
    BY("presence_penalty: none", C | L, "protocol/{e}/*/defaults/presence-penalty"),
    BY("frequency_penalty: none", C | L, "protocol/{e}/*/defaults/frequency-penalty"),
    BY("repetition_penalty: none", C | L | R, "protocol/{e}/*/defaults/repetition-penalty"),
    BY("top_p: none", C | L | R, "protocol/{e}/*/defaults/top-p"),
    BY("top_k: none", C | L | R, "protocol/{e}/*/defaults/top-k"),
    BY("min_p: none", C | L | R, "protocol/{e}/*/defaults/min-p"),
    BY("seed", C | L | R, "protocol/{e}/*/effects/seed"),
    BY("n", C | L, "protocol/{e}/*/effects/n"),
    BY("n: at a temperature", C | L, "protocol/{e}/*/effects/n-sampled"),
    BY("logit_bias", C | L, "protocol/{e}/*/effects/logit-bias"),
    FREE("best_of", L, "of which answers the best is chosen cannot be seen"),
    FREE("suffix", L, "only models trained to fill a gap know it"),
    BY("stop", C | L, "protocol/{e}/*/stop/content"),
    BY("stop_sequences", M, "protocol/{e}/*/stop/content"),
    BY("ignore_eos", C | L, "protocol/{e}/*/effects/ignore-eos"),
    BY("min_tokens", C | L, "protocol/{e}/*/effects/min-tokens"),
    BY("stop_token_ids", C | L, "protocol/{e}/*/effects/stop-token-ids"),
    BY("logprobs", C | L, "discovery/{e}-logprobs"),
    BY("top_logprobs", C | R, "discovery/{e}-logprobs"),
    BY("include: message.output_text.logprobs", R, "discovery/{e}-logprobs"),
    BY("prompt_logprobs", L, "discovery/prompt-logprobs"),
    BY("echo", L, "discovery/echo"),
    BY("return_token_ids", C | L, "protocol/{e}/*/effects/token-ids"),
    BY("chat_template_kwargs.enable_thinking: false", C | M | R, "protocol/{e}/*/no-reasoning/fields"),
    BY("chat_template_kwargs.enable_thinking: true", C | M | R, "protocol/{e}/*/reasoning/fields"),
    BY("enable_thinking", C, "protocol/{e}/*/prompt/enable-thinking"),
    BY("thinking", M, "protocol/{e}/*/prompt/thinking"),
    FREE("reasoning_effort", C, "only templates with levels of effort know it"),
    FREE("reasoning", R, "only templates with levels of effort know it"),
    BY("response_format: json_object", C | L, "protocol/{e}/*/effects/json"),
    BY("text.format: json_object", R, "protocol/{e}/*/effects/json"),
    LATER("response_format: json_schema", C | L),
    LATER("text.format: json_schema", R),
    LATER("output_format", M),
    BY("cache_prompt", L, "batching/cache-off"),
    BY("cache_salt", L, "batching/cache-off"),
    FREE("cache_prompt", C | M | R, "judged on completions: all endpoints have one cache"),
    FREE("cache_salt", C | M | R, "judged on completions: all endpoints have one cache"),
    FREE("cache_control", M, UNSEEN),
    FREE("user", C | L | R, UNSEEN),
    FREE("metadata", C | M | R, UNSEEN),
    FREE("safety_identifier", C | R, UNSEEN),
    FREE("service_tier", C | M | R, UNSEEN),
    FREE("prompt_cache_key", C | R, UNSEEN),
    FREE("prompt_cache_retention", C | R, UNSEEN),
    FREE("store", C | R, PLATFORM),
    FREE("background", R, PLATFORM),
    FREE("conversation", R, PLATFORM),
    FREE("previous_response_id", R, PLATFORM),
    FREE("prompt: a stored one", R, PLATFORM),
    FREE("max_tool_calls", R, PLATFORM),
    FREE("truncation", R, "about prompts beyond the context, which the probe does not send"),
    FREE("container", M, PLATFORM),
    FREE("context_management", M, PLATFORM),
    FREE("mcp_servers", M, PLATFORM),
    FREE("modalities", C, PLATFORM),
    FREE("audio", C, PLATFORM),
    FREE("prediction", C, PLATFORM),
    FREE("web_search_options", C, PLATFORM),
    FREE("verbosity", C, PLATFORM),
    FREE("functions", C, "deprecated: tools are judged"),
    FREE("function_call", C, "deprecated: tool_choice is judged"),
};

const probe_member *probe_members(size_t *n)
{
    *n = sizeof members / sizeof *members;
    return members;
}
