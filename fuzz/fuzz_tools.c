/* Input: the parser, whether there is a request, how whether the reply is UTF-8 cut, and its bytes,
 * some of which represent elements of the parser's calls, whole or without the last byte.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"
#include "base/utf8.h"
#include "dialogue/tools/tools.h"
#include "dialogue/values/json_value.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { N_PARSERS = 19, N_WORDS = 18, FIRST_WORD = 0x0e, N_NEARLY = 9 };

/* Which arguments are always valid JSON: none, all, or all but those of a call that is cut off. */
typedef enum fuzz_json { JSON_AS_WRITTEN, JSON_ALWAYS, JSON_UNLESS_CUT_OFF } fuzz_json;

/* A parser, and the elements of its calls. */
static const struct {
    const char *name;
    fuzz_json json;
    const char *words[N_WORDS];
} parsers[N_PARSERS] = {
    {"gemma4",
     JSON_ALWAYS,
     {"<|tool_call>", "<tool_call|>", "call:f{", "call:f(", "<|\"|>", "k:", "k=", "}", ")", "[", "]", "'",
      "true,", "-1.5e3", "\"\"\"", "\\u00", "None", "{"}},
    {"hermes",
     JSON_AS_WRITTEN,
     {"<tool_call>", "</tool_call>", "<function=f>", "</function>", "<parameter=k>", "</parameter>",
      "{\"name\": \"f\", \"arguments\": ", "{\"k\": 1}", "}", "\"", "<function=", "\\\"", "null", "[1,", "]",
      "'", "(", "\n"}},
    {"qwen",
     JSON_AS_WRITTEN,
     {"<tool_call>", "</tool_call>", "[Calling tool:", ")]", "<function=f>", "</function>", "<parameter=k>",
      "</parameter>", "{\"name\": \"f\", \"arguments\": ", "{\"k\": 1}", "}", "({", "f", "\"", "\n", "\\\"",
      "[", "True"}},
    {"qwen3_xml",
     JSON_UNLESS_CUT_OFF,
     {"<tool_call>", "</tool_call>", "<function=f>", "</function>", "<parameter=n>", "</parameter>",
      "<parameter=l>", "<parameter=o>", "<function=", "<parameter=", "[1, 'a'", "]", "{'k': 1}", "null", "\n",
      "1e5", "<", ">"}},
    {"llama",
     JSON_AS_WRITTEN,
     {"<|python_tag|>", "{\"name\": \"f\", ", "\"parameters\": ", "{\"k\": 1}", "}", ";", "<function=f>",
      "</function>", "{\"type\": ", "\"", "\\\"", "{", "[", "]", "<function=", ",", ":", "\n"}},
    {"mistral",
     JSON_AS_WRITTEN,
     {"[TOOL_CALLS]", "[ARGS]", "f", "{\"k\": 1}", "[{\"name\": \"f\", ", "\"arguments\": ", "}]", "{", "}",
      "\"", "\\\"", "[", "]", ",", "null", "\n", " ", "-"}},
    {"glm47",
     JSON_ALWAYS,
     {"<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "f\n", "n",
      "{\"k\": 1}", "\"", "\\u00", "[", "]", "}", "null", "1e5", "<", "\n"}},
    {"harmony",
     JSON_AS_WRITTEN,
     {"<|channel|>", "<|message|>", "<|start|>", "<|end|>", "<|call|>", "<|return|>", "<|constrain|>",
      "assistant", "commentary", "final", "analysis", " to=functions.f", "json", "{\"k\": 1}", "\"", "<|",
      "{", " "}},
    {"granite",
     JSON_AS_WRITTEN,
     {"<|tool_call|>", "<tool_call>", "[", "]", "{\"name\": \"f\", ", "\"arguments\": ", "{\"k\": 1}", "}",
      "{\"type\": \"f\"}", ",", "\"", "\\\"", "null", "\n", " ", "{", "1", "a"}},
    {"xlam",
     JSON_AS_WRITTEN,
     {"```", "json", "[TOOL_CALLS]", "[{\"name\": \"f\", ", "\"arguments\": ", "\"parameters\": ",
      "{\"k\": 1}", "}]", "[", "]", "[{", "}", "\"", "\\\"", ",", "\n", " ", "[]"}},
    {"functionary",
     JSON_AS_WRITTEN,
     {"<|recipient|>", "<|content|>", "<|from|>", "f\n", "all\n", "<function=f>", "</function>",
      "<function=", "{\"k\": 1}", "{", "}", "<|", "[{\"name\": \"f\"}]", "[", "]", ">", "\n", " "}},
    {"nemotron",
     JSON_AS_WRITTEN,
     {"<tool_call>", "</tool_call>", "<function=f>", "</function>", "<parameter=k>", "</parameter>",
      "<function=", "<parameter=", "{\"k\": 1}", "{", "}", ">", "\"", "null", "1e5", "\n", " ", "a"}},
    {"kimi",
     JSON_AS_WRITTEN,
     {"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_section_begin|>",
      "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>", "functions.f", ":0", ":",
      ".", "{\"k\": 1}", "{", "}", "<|", "<", "\n", " ", "a"}},
    {"deepseek",
     JSON_AS_WRITTEN,
     {"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>",
      "\n```json\n", "\n```<｜tool▁call▁end｜>", "<｜tool▁call▁end｜>", "function", "f", "{\"k\": 1}", "```",
      "json", "{", "}", "<｜", "\n", " ", "a"}},
    {"minimax",
     JSON_ALWAYS,
     {"<minimax:tool_call>", "</minimax:tool_call>", "<invoke name=\"", "<invoke name=\"f\">", "</invoke>",
      "<parameter name=\"", "<parameter name=\"k\">", "</parameter>", "\">", "{\"k\": 1}", "\"", "[", "]",
      "null", "1e5", "<", "\n", " "}},
    {"step3p5",
     JSON_AS_WRITTEN,
     {"<tool_call>", "</tool_call>", "[Calling tool:", ")]", "<function=f>", "</function>", "<parameter=k>",
      "</parameter>", "{\"name\": \"f\", \"arguments\": ", "{\"k\": 1}", "}", "({", "f", "\"", "\n", "1",
      "{\"k\": 1.0}", "[Calling tool: f({})]"}},
    {"poolside_v1",
     JSON_ALWAYS,
     {"<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "f\n", "k",
      "n", "{\"k\": 1}", "\"", "\\u00", "[", "]", "null", "1e5", "<", "\n"}},
    {"deepseek_v4",
     JSON_ALWAYS,
     {"<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", "<｜DSML｜invoke", "</｜DSML｜invoke>",
      "<｜DSML｜parameter", "</｜DSML｜parameter>", " name=\"f\"", " name=\"k\"", " string=\"true\"",
      " string=\"false\"", ">", "\"", "{\"k\": 1}", "null", "1e5", "<｜", "\n", " "}},
    {"auto",
     JSON_AS_WRITTEN,
     {"<tool_call>", "</tool_call>", "<|tool_call>call:f{}", "<tool_call|>", "<｜DSML｜tool_calls>",
      "<｜DSML｜invoke name=\"f\">", "[TOOL_CALLS]", "[Calling tool:", "[f({", "})]", "<function=f>",
      "</function>", "<parameter=k>", "</parameter>", "{\"name\": \"f\"}", "<arg_key>", "f", "{"}},
};

static const char request[] =
    "{\"tools\": [{\"function\": {\"name\": \"f\", \"parameters\": {\"properties\": {"
    "\"n\": {\"type\": \"number\"}, \"l\": {\"type\": \"array\"}, \"o\": {\"type\": "
    "\"object\"}, \"k\": {\"type\": \"string\"}}}}}]}";

/* The output of a parser. */
typedef struct reading {
    buffer script; /* a byte for the part, then its text; consecutive pieces of content are joined */
    buffer content;
    int last; /* the part of the last piece; -1: none */
    fuzz_json json;
    bool utf8;    /* the reply is */
    bool cut_off; /* arguments of a call were not JSON, which only the last call may have */
} reading;

static void check_piece(void *context, assay_part part, const char *text, size_t n)
{
    static const char names[] = {'C', 'R', 'N', 'A'};
    reading *r = context;
    fuzz_require(n > 0, "a piece has text");
    fuzz_require(part == ASSAY_PART_CONTENT || part == ASSAY_PART_CALL || part == ASSAY_PART_ARGUMENTS,
                 "a piece has a part");
    fuzz_require(part != ASSAY_PART_ARGUMENTS || r->last == ASSAY_PART_CALL,
                 "arguments come in one piece after the name");
    fuzz_require(!r->utf8 || utf8_valid_prefix(text, n) == n, "a piece is UTF-8 where the reply is");
    fuzz_require(!r->cut_off, "nothing follows a call that is cut off");
    if (part == ASSAY_PART_ARGUMENTS && r->json != JSON_AS_WRITTEN) {
        const bool json = serve_json_check((assay_text){text, n}) == ASSAY_OK;
        fuzz_require(json || r->json == JSON_UNLESS_CUT_OFF, "arguments are JSON");
        r->cut_off = !json;
    }
    if (part == ASSAY_PART_CONTENT) buffer_append(&r->content, text, n);
    if (part != ASSAY_PART_CONTENT || r->last != ASSAY_PART_CONTENT)
        buffer_append(&r->script, &names[part], 1);
    buffer_append(&r->script, text, n);
    r->last = (int)part;
}

/* Expands the input to a reply. */
static buffer expand_input(const char *const *words, const uint8_t *data, size_t size)
{
    buffer text = {0};
    for (size_t i = 0; i < size; i++) {
        const bool whole = data[i] >= FIRST_WORD && data[i] < FIRST_WORD + N_WORDS;
        const size_t index = whole ? data[i] - (size_t)FIRST_WORD : data[i];
        const char *word = whole || index < N_NEARLY ? words[index] : NULL;
        if (word) buffer_append(&text, word, strlen(word) - (whole ? 0 : 1));
        else buffer_append(&text, (const char *)&data[i], 1);
    }
    fuzz_require(!text.failed, "an allocation succeeds");
    return text;
}

/* Reads the reply in pieces of at most `most` bytes; 0: in one. */
static void read_reply(reading *r, size_t parser, assay_text asked, const buffer *text, size_t most)
{
    unsigned state = (unsigned)most;
    const assay_sink sink = {.take = check_piece, .context = r};
    serve_tools *t = NULL;
    *r = (reading){.last = -1,
                   .json = parsers[parser].json,
                   .utf8 = text->n == 0 || utf8_valid_prefix(text->data, text->n) == text->n};
    fuzz_require(serve_tools_open(parsers[parser].name, asked, &t, NULL) == ASSAY_OK, "there is the parser");
    for (size_t i = 0, n; i < text->n; i += n) {
        state = state * 1664525U + 1013904223U;
        n = most == 0 ? text->n : 1 + (state >> 16) % most;
        if (n > text->n - i) n = text->n - i;
        char *delta = malloc(n); /* of exactly its size, so that the sanitizer detects a read past its end */
        fuzz_require(delta != NULL, "an allocation succeeds");
        memcpy(delta, text->data + i, n);
        fuzz_require(serve_tools_feed(t, delta, n, &sink, NULL) == ASSAY_OK, "a delta is taken");
        free(delta);
    }
    fuzz_require(serve_tools_end(t, &sink, NULL) == ASSAY_OK, "a reply ends");
    serve_tools_free(t);
}

static void free_reading(reading *r)
{
    fuzz_require(!r->script.failed && !r->content.failed, "an allocation succeeds");
    buffer_free(&r->script);
    buffer_free(&r->content);
}

static void require_same(const reading *a, const reading *b)
{
    fuzz_require(a->script.n == b->script.n &&
                     (a->script.n == 0 || memcmp(a->script.data, b->script.data, a->script.n) == 0),
                 "content and calls do not depend on the cuts");
}

/* Checks that content is a subsequence of the text. XML parsers turn a carriage return into a newline. */
static void require_of_text(const buffer *content, const buffer *text)
{
    size_t found = 0;
    for (size_t i = 0; i < text->n && found < content->n; i++) {
        const char said = content->data[found], wrote = text->data[i];
        found += wrote == said || (wrote == '\r' && said == '\n');
    }
    fuzz_require(found == content->n, "content is what the reply holds, in its order");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    const size_t parser = data[0] % 32U % N_PARSERS;
    const assay_text none = {0}, some = {request, sizeof request - 1};
    const assay_text asked = data[0] & 32U ? some : none;
    buffer text = expand_input(parsers[parser].words, data + 2, size - 2);
    reading whole, cut;
    read_reply(&whole, parser, asked, &text, 0);
    require_of_text(&whole.content, &text);
    const size_t most[] = {1, 2 + data[1] % 40U};
    for (size_t i = 0; i < 2; i++) {
        read_reply(&cut, parser, asked, &text, most[i]);
        require_same(&whole, &cut);
        free_reading(&cut);
    }
    free_reading(&whole);
    buffer_free(&text);
    return 0;
}
