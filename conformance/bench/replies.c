/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/replies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/bench/prose.h"
#include "conformance/support/draw.h"

#define CALL_BYTES 2048 /* approximate size of the text in a call's arguments */

/* How strings are quoted in arguments. */
typedef enum quotes { QUOTES_JSON, QUOTES_GEMMA, QUOTES_NONE } quotes;

/* How arguments are written. */
typedef struct arguments_style {
    const char *open, *before_name, *before_value, *behind_value, *between, *close;
    quotes quotes;
} arguments_style;

static const arguments_style json = {"{", "\"", "\": ", "", ", ", "}", QUOTES_JSON};
static const arguments_style gemma = {"{", "", ":", "", ",", "}", QUOTES_GEMMA};
static const arguments_style glm = {"", "<arg_key>", "</arg_key>\n<arg_value>", "</arg_value>\n", "",
                                    "", QUOTES_NONE};
static const arguments_style xml = {"", "<parameter=", ">\n", "\n</parameter>\n", "", "", QUOTES_NONE};
static const arguments_style named = {"", "<parameter name=\"", "\">", "</parameter>\n", "", "", QUOTES_NONE};
static const arguments_style typed = {
    "", "<｜DSML｜parameter name=\"", "\" string=\"true\">", "</｜DSML｜parameter>\n", "", "", QUOTES_NONE};

/* How a call is written; arguments is NULL for a reasoning parser. */
typedef struct call_style {
    const arguments_style *arguments;
    const char *before_name, *before_arguments, *behind_arguments;
    const char *between; /* separates calls; NULL: nothing */
} call_style;

/* A reply consists of open, the first half, turn, the second half, close. If turn is NULL, there is no
 * first half. */
typedef struct format {
    conf_bench_parser parser;
    const char *open, *turn, *close;
    call_style call;
} format;

#define THINK(name)                                                                                          \
    {                                                                                                        \
        {name, false}, "<think>\n", "\n</think>\n\n", "",                                                    \
        {                                                                                                    \
            0                                                                                                \
        }                                                                                                    \
    }
#define MESSAGES(name)                                                                                       \
    {                                                                                                        \
        {name, false}, "<|channel|>analysis<|message|>",                                                     \
            "<|end|><|start|>assistant<|channel|>final<|message|>", "<|return|>",                            \
        {                                                                                                    \
            0                                                                                                \
        }                                                                                                    \
    }
#define TAGGED_OBJECT(name)                                                                                  \
    {                                                                                                        \
        {name, true}, "", "\n", "",                                                                          \
        {                                                                                                    \
            &json, "<tool_call>\n{\"name\": \"", "\", \"arguments\": ", "}\n</tool_call>\n", NULL            \
        }                                                                                                    \
    }

static const format formats[] = {
    THINK("qwen3"),
    THINK("deepseek_r1"),
    THINK("deepseek_v4"),
    {{"glm4", false}, "<think>", "</think>\n<|begin_of_box|>", "<|end_of_box|>", {0}},
    {{"gemma4", false}, "<|channel>thought\n", "<channel|>", "", {0}},
    {{"mistral", false}, "[THINK]", "[/THINK]", "", {0}},
    THINK("step3p5"),
    THINK("poolside_v1"),
    MESSAGES("gpt_oss"),
    MESSAGES("harmony"),
    {{"gemma4", true}, "", "", "", {&gemma, "<|tool_call>call:", "", "<tool_call|>", NULL}},
    TAGGED_OBJECT("hermes"),
    TAGGED_OBJECT("qwen"),
    {{"qwen3_xml", true},
     "",
     "\n",
     "",
     {&xml, "<tool_call>\n<function=", ">\n", "</function>\n</tool_call>\n", NULL}},
    {{"llama", true}, "", "", "", {&json, "<|python_tag|>{\"name\": \"", "\", \"parameters\": ", "}", NULL}},
    {{"mistral", true}, "", "", "", {&json, "[TOOL_CALLS]", "[ARGS]", "", NULL}},
    {{"glm47", true}, "", "\n", "", {&glm, "<tool_call>", "\n", "</tool_call>", NULL}},
    {{"harmony", true},
     "<|channel|>analysis<|message|>",
     "<|end|>",
     "",
     {&json, "<|start|>assistant<|channel|>commentary to=functions.", "<|constrain|>json<|message|>",
      "<|call|>", NULL}},
    TAGGED_OBJECT("step3p5"),
    TAGGED_OBJECT("auto"),
    {{"nemotron", true},
     "",
     "\n",
     "",
     {&xml, "<tool_call>\n<function=", ">\n", "</function>\n</tool_call>\n", NULL}},
    {{"granite", true},
     "<|tool_call|>[",
     NULL,
     "]",
     {&json, "{\"name\": \"", "\", \"arguments\": ", "}", ", "}},
    {{"xlam", true}, "[", NULL, "]", {&json, "{\"name\": \"", "\", \"arguments\": ", "}", ",\n"}},
    {{"functionary", true},
     "",
     "",
     "",
     {&json, "<|recipient|>", "\n<|content|>", "<|from|>assistant\n", NULL}},
    {{"poolside_v1", true}, "", "\n", "", {&glm, "<tool_call>", "\n", "</tool_call>", NULL}},
    {{"kimi", true},
     "",
     "<|tool_calls_section_begin|>",
     "<|tool_calls_section_end|>",
     {&json, "<|tool_call_begin|>functions.", ":0<|tool_call_argument_begin|>", "<|tool_call_end|>", NULL}},
    {{"deepseek", true},
     "",
     "<｜tool▁calls▁begin｜>",
     "<｜tool▁calls▁end｜>",
     {&json, "<｜tool▁call▁begin｜>function<｜tool▁sep｜>", "\n```json\n", "\n```<｜tool▁call▁end｜>", NULL}},
    {{"minimax", true},
     "",
     "\n",
     "",
     {&named, "<minimax:tool_call>\n<invoke name=\"", "\">\n", "</invoke>\n</minimax:tool_call>\n", NULL}},
    {{"deepseek_v4", true},
     "",
     "<｜DSML｜tool_calls>\n",
     "</｜DSML｜tool_calls>",
     {&typed, "<｜DSML｜invoke name=\"", "\">\n", "</｜DSML｜invoke>\n", NULL}},
};

enum { N_FORMATS = sizeof formats / sizeof *formats };

static const char request[] =
    "{\"model\": \"m\", \"messages\": [{\"role\": \"user\", \"content\": \"go on\"}], \"stream\": true, "
    "\"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"read_file\", \"parameters\": {\"type\": "
    "\"object\", \"properties\": {\"path\": {\"type\": \"string\"}}}}}, {\"type\": \"function\", "
    "\"function\": {\"name\": \"write_file\", \"parameters\": {\"type\": \"object\", \"properties\": "
    "{\"path\": {\"type\": \"string\"}, \"text\": {\"type\": \"string\"}, \"line\": {\"type\": \"integer\"}, "
    "\"force\": {\"type\": \"boolean\"}}}}}]}";

const conf_bench_parser *conf_bench_parser_at(size_t i)
{
    return i < N_FORMATS ? &formats[i].parser : NULL;
}

size_t conf_bench_count_nonblank(const char *text, size_t n)
{
    size_t n_marks = n;
    for (size_t i = 0; i < n; i++) n_marks -= text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r');
    return n_marks;
}

/* A text that is being written. */
typedef struct writing {
    FILE *out;
    char *text; /* [n], valid after out is flushed */
    size_t n;
    uint64_t state;
} writing;

static void append_text(writing *w, const char *text)
{
    (void)fputs(text, w->out);
}

/* Writes prose of about n bytes, and returns its bytes other than white space. */
static size_t put_prose(writing *w, size_t n)
{
    (void)fflush(w->out);
    const size_t begin = w->n;
    (void)conf_bench_prose_print(w->out, &w->state, n);
    (void)fflush(w->out);
    return conf_bench_count_nonblank(w->text + begin, w->n - begin);
}

static void put_json_string(writing *w, const char *text)
{
    append_text(w, "\"");
    for (size_t n; *text; text += n) {
        n = strcspn(text, "\n\"\\");
        (void)fwrite(text, 1, n, w->out);
        if (n > 0) continue;
        if (*text == '\n') append_text(w, "\\n");
        else (void)fprintf(w->out, "\\%c", *text);
        n = 1;
    }
    append_text(w, "\"");
}

static void put_string(writing *w, quotes how, const char *text)
{
    if (how == QUOTES_JSON) put_json_string(w, text);
    else (void)fprintf(w->out, how == QUOTES_GEMMA ? "<|\"|>%s<|\"|>" : "%s", text);
}

static void begin_argument(writing *w, const arguments_style *style, const char *name, bool first)
{
    append_text(w, first ? style->open : style->between);
    append_text(w, style->before_name);
    append_text(w, name);
    append_text(w, style->before_value);
}

/* Writes the arguments path, text, line and force. */
static void put_arguments(writing *w, const arguments_style *style, const char *text)
{
    char path[64];
    (void)snprintf(path, sizeof path, "src/part_%zu.c", conf_draw_below(&w->state, 1000));
    begin_argument(w, style, "path", true);
    put_string(w, style->quotes, path);
    append_text(w, style->behind_value);
    begin_argument(w, style, "text", false);
    put_string(w, style->quotes, text);
    append_text(w, style->behind_value);
    begin_argument(w, style, "line", false);
    (void)fprintf(w->out, "%zu%s", conf_draw_below(&w->state, 5000), style->behind_value);
    begin_argument(w, style, "force", false);
    (void)fprintf(w->out, "%s%s", conf_draw_below(&w->state, 2) ? "true" : "false", style->behind_value);
    append_text(w, style->close);
}

/* Writes a call; false if out of memory. */
static bool put_call(writing *w, const call_style *style)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (!out) return false;
    (void)conf_bench_prose_print(out, &w->state, CALL_BYTES / 4 + conf_draw_below(&w->state, CALL_BYTES));
    const bool ok = fclose(out) == 0;
    if (ok) {
        append_text(w, style->before_name);
        append_text(w, "write_file");
        append_text(w, style->before_arguments);
        put_arguments(w, style->arguments, text);
        append_text(w, style->behind_arguments);
        (void)fflush(w->out);
    }
    free(text);
    return ok;
}

static bool put_reply(writing *w, const format *f, conf_bench_found *expected)
{
    (void)fflush(w->out);
    const size_t begin = w->n;
    append_text(w, f->open);
    const size_t n_first = f->turn ? put_prose(w, CONF_BENCH_REPLY_BYTES / 2) : 0;
    if (f->turn) append_text(w, f->turn);
    if (!f->call.arguments) {
        expected->n_reasoning += n_first;
        expected->n_content += put_prose(w, CONF_BENCH_REPLY_BYTES / 2);
    }
    for (size_t n = 0; f->call.arguments && w->n - begin < CONF_BENCH_REPLY_BYTES; n++) {
        if (n > 0 && f->call.between) append_text(w, f->call.between);
        if (!put_call(w, &f->call)) return false;
        expected->n_calls++;
    }
    append_text(w, f->close);
    return fflush(w->out) == 0;
}

/* Cuts text[from..n) into deltas of random lengths that end between characters. */
static void cut_deltas(conf_bench_replies *r, size_t from, uint64_t *state)
{
    static const uint8_t lengths[] = {1, 2, 2, 3, 3, 4, 4, 5, 6, 8};
    for (size_t to; from < r->n; from = to) {
        to = from + lengths[conf_draw_below(state, sizeof lengths)];
        if (to > r->n) to = r->n;
        while (to < r->n && ((unsigned char)r->text[to] & 0xc0U) == 0x80U) to++;
        r->deltas[r->n_deltas++] = (uint8_t)(to - from);
    }
}

static assay_status out_of_memory(assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "replies to read: out of memory");
}

assay_status conf_bench_replies_make(size_t i, uint64_t seed, conf_bench_replies *out, assay_error *err)
{
    conf_bench_replies r = {.parser = &formats[i].parser, .request = {request, sizeof request - 1}};
    writing w = {.state = seed};
    size_t behind[CONF_BENCH_REPLIES] = {0};
    w.out = open_memstream(&w.text, &w.n);
    if (!w.out) return out_of_memory(err);
    bool ok = true;
    for (size_t k = 0; ok && k < CONF_BENCH_REPLIES; k++) {
        ok = put_reply(&w, &formats[i], &r.expected);
        behind[k] = w.n;
    }
    ok = fclose(w.out) == 0 && ok;
    r.text = w.text;
    r.deltas = ok ? malloc(w.n) : NULL;
    for (size_t k = 0; r.deltas && k < CONF_BENCH_REPLIES; k++) {
        const size_t from = r.n;
        r.n = behind[k];
        cut_deltas(&r, from, &w.state);
        r.ends[k] = r.n_deltas;
    }
    if (!r.deltas) {
        free(r.text);
        return out_of_memory(err);
    }
    *out = r;
    return ASSAY_OK;
}

void conf_bench_replies_free(conf_bench_replies *replies)
{
    free(replies->text);
    free(replies->deltas);
    *replies = (conf_bench_replies){0};
}
