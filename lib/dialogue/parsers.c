/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/parsers.h"

#include <string.h>

/* Whether the tokenizer encodes a marker as a single token. */
static bool has_token(const assay_serving *s, const assay_tokenizer *t, const char *marker)
{
    int32_t id;
    size_t n = 0;
    return s->encode(t, marker, strlen(marker), false, &id, 1, &n, NULL) == ASSAY_OK && n == 1;
}

/* The parsers of a checkpoint whose tokenizer has the marker; the first match counts for each kind of
 * parser. */
static const struct {
    const char *marker, *reasoning, *tools;
} families[] = {
    {"｜DSML｜", "deepseek_v4", "deepseek_v4"},
    {"<｜tool▁calls▁begin｜>", NULL, "deepseek"},
    {"<|tool_calls_section_begin|>", NULL, "kimi"},
    {"<minimax:tool_call>", NULL, "minimax"},
    {"<|tool_call|>", NULL, "granite"},
    {"<|recipient|>", NULL, "functionary"},
    {"<|channel>", "gemma4", NULL},
    {"<|tool_call>", NULL, "gemma4"},
    {"<|channel|>", "harmony", "harmony"},
    {"[THINK]", "mistral", NULL},
    {"[TOOL_CALLS]", NULL, "mistral"},
    {"<think>", "qwen3", NULL},
    {"<arg_key>", NULL, "glm47"},
    {"<tool_call>", NULL, "hermes"},
};

void serve_parsers_choose(const assay_serving *serving, const assay_tokenizer *tokenizer,
                          const char **reasoning, const char **tools)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (!has_token(serving, tokenizer, families[i].marker)) continue;
        if (!*reasoning) *reasoning = families[i].reasoning;
        if (!*tools) *tools = families[i].tools;
    }
    if (*reasoning && strcmp(*reasoning, "none") == 0) *reasoning = NULL;
    if (*tools && strcmp(*tools, "none") == 0) *tools = NULL;
}
