/* The number of allocations of reply parsers depends on a reply's length and calls, not on the number of its
 * deltas. The test counts them: the linker wraps the allocating functions with those below.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/tests/support.h"
#include "dialogue/reasoning/reasoning.h"
#include "dialogue/reply.h"
#include "dialogue/tools/tools.h"

enum {
    TIMES = 2000, /* how often a text is repeated */
    GROWTHS = 64  /* of growing buffers, for a reply of that size */
};

static size_t n_allocations, denied; /* the number of the allocation that fails; 0: none */

static bool allows(void)
{
    return ++n_allocations != denied;
}

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_malloc(size_t n)
{
    return allows() ? __real_malloc(n) : NULL;
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
    return allows() ? __real_calloc(n, size) : NULL;
}

void *__real_realloc(void *old, size_t n);
void *__wrap_realloc(void *old, size_t n);
void *__wrap_realloc(void *old, size_t n)
{
    return allows() ? __real_realloc(old, n) : NULL;
}

static void ignore(void *context, assay_part part, const char *text, size_t n)
{
    (void)context, (void)part, (void)text, (void)n;
}

/* The number of allocations while the text is read in deltas of this many bytes. */
static size_t count(const char *reasoning, const char *tools, const buffer *text, size_t step)
{
    const assay_reply_options options = {.size = sizeof options, .reasoning = reasoning, .tools = tools};
    const assay_sink sink = {.take = ignore};
    assay_reply *r;
    ck_assert_int_eq(serve_reply_open(&options, &r, NULL), ASSAY_OK);
    assay_status rc = ASSAY_OK;
    n_allocations = 0; /* an assertion of libcheck allocates, too */
    for (size_t at = 0; rc == ASSAY_OK && at < text->n; at += step) {
        const size_t n = text->n - at < step ? text->n - at : step;
        rc = serve_reply_feed(r, text->data + at, n, &sink, NULL);
    }
    if (rc == ASSAY_OK) rc = serve_reply_end(r, &sink, NULL);
    const size_t counted = n_allocations;
    ck_assert_int_eq(rc, ASSAY_OK);
    serve_reply_free(r);
    return counted;
}

static buffer repeat(const char *text)
{
    buffer b = {0};
    for (size_t i = 0; i < TIMES; i++) buffer_append_string(&b, text);
    ck_assert(!b.failed);
    return b;
}

START_TEST(reasoning_is_read_without_any)
{
    buffer text = repeat("<think>Hm <thi </think>ja, [THINK]n\xc3\xb6[/THINK]<|channel>thought\nx<channel|>"
                         "<|start|>assistant<|channel|>analysis<|message|>y<|end|>");
    const serve_reasoning_rules *rules;
    for (size_t i = 0; (rules = serve_reasoning_at(i)); i++)
        for (size_t step = 1; step < 10; step += 4)
            ck_assert_msg(count(rules->name, NULL, &text, step) == 0, "%s, in steps of %zu", rules->name,
                          step);
    buffer_free(&text);
}
END_TEST

/* A reply of prose and calls. */
static const struct {
    const char *parser, *text;
} CALLS[] = {
    {"gemma4", "Let me see < that. <|tool_call>call:f{a:1,b:<|\"|>x<|\"|>}<tool_call|> \xc3\xbc"},
    {"hermes", "Let me see < that. <tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call> \xc3\xbc"},
    {"qwen", "Let me see < that. <tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call> \xc3\xbc"},
    {"qwen3_xml", "Let me <tool_call><function=f><parameter=a>1</parameter></function></tool_call> \xc3\xbc"},
    {"llama", "Let me see <function=f>{\"a\":1}</function> \xc3\xbc"},
    {"mistral", "[TOOL_CALLS]f[ARGS]{\"a\": 1} \xc3\xbc"},
    {"glm47", "<tool_call>f\n<arg_key>a</arg_key><arg_value>1</arg_value></tool_call> \xc3\xbc"},
    {"harmony", "<|channel|>commentary to=functions.f<|message|>{\"a\":1}<|call|> \xc3\xbc"},
    {"granite", "<|tool_call|>[{\"name\":\"f\",\"arguments\":{\"a\":1}}] \xc3\xbc"},
    {"xlam", "Let me see. [TOOL_CALLS]x\n```json\n[{\"name\":\"f\"}]\n``` \xc3\xbc"},
    {"functionary", "Let me see < that. <|recipient|>f\n<|content|>{\"a\":1}<|from|>assistant\n \xc3\xbc"},
    {"nemotron", "Let me <tool_call><function=f><parameter=a>1</parameter></function></tool_call> \xc3\xbc"},
    {"kimi", "Let me <|tool_call_begin|>f:0<|tool_call_argument_begin|>{\"a\":1}<|tool_call_end|> \xc3\xbc"},
    {"deepseek", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{}\n```"
                 "<｜tool▁call▁end｜> \xc3\xbc"},
    {"minimax", "Let me <minimax:tool_call><invoke name=\"f\"><parameter name=\"a\">1</parameter></invoke>"
                "</minimax:tool_call> \xc3\xbc"},
    {"step3p5",
     "Let me see < that. <tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call> \xc3\xbc"},
    {"poolside_v1", "Let me <tool_call>f\n<arg_key>a</arg_key><arg_value>1</arg_value></tool_call> \xc3\xbc"},
    {"deepseek_v4",
     "<｜DSML｜tool_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"a\" string=\"true\">1"
     "</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls> \xc3\xbc"},
    {"auto", "Let me see < that. <tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call> \xc3\xbc"},
};

START_TEST(calls_are_read_with_no_more_in_bytes_than_in_one_piece)
{
    buffer text = repeat(CALLS[_i].text);
    const size_t whole = count(NULL, CALLS[_i].parser, &text, text.n);
    for (size_t step = 1; step < 10; step += 4) {
        const size_t cut = count(NULL, CALLS[_i].parser, &text, step);
        ck_assert_msg(cut <= whole + GROWTHS, "%s: %zu, in steps of %zu bytes %zu", CALLS[_i].parser, whole,
                      step, cut);
    }
    buffer_free(&text);
}
END_TEST

static void refuse(void *context, assay_part part, const char *text, size_t n)
{
    (void)part;
    ck_abort_msg("%s: %.*s", (const char *)context, (int)n, text);
}

/* Feeds the first n bytes of a text. If allocation number `denied` fails, the parser must report that, and so
 * must all later calls. False if it was never reached. */
static bool runs_out(const char *parser, const char *text, size_t n)
{
    assay_sink sink = {.take = ignore};
    serve_tools *t;
    ck_assert_int_eq(serve_tools_open(parser, (assay_text){0}, &t, NULL), ASSAY_OK);
    n_allocations = 0;
    const assay_status rc = serve_tools_feed(t, text, n, &sink, NULL);
    const bool ran_out = n_allocations >= denied;
    const assay_status expected = ran_out ? ASSAY_ENOMEM : ASSAY_OK;
    denied = 0;
    ck_assert_msg(rc == expected, "%s: %.*s", parser, (int)n, text);
    if (ran_out) sink = (assay_sink){.take = refuse, .context = (void *)(uintptr_t)parser};
    ck_assert_int_eq(serve_tools_feed(t, "x", 1, &sink, NULL), expected);
    ck_assert_int_eq(serve_tools_end(t, &sink, NULL), expected);
    serve_tools_free(t);
    return ran_out;
}

START_TEST(a_reply_that_memory_ran_out_in_fails_to_its_end)
{
    char text[1024];
    const size_t n_call = strlen(CALLS[_i].text);
    (void)snprintf(text, sizeof text, "%s%s", CALLS[_i].text, CALLS[_i].text);
    for (size_t n = n_call; n <= 2 * n_call; n++) {
        bool ran_out = true;
        for (size_t k = 1; ran_out; k++) {
            denied = k;
            ran_out = runs_out(CALLS[_i].parser, text, n);
        }
    }
}
END_TEST

START_TEST(text_without_calls_needs_no_allocation_except_for_held_text)
{
    buffer text = repeat("Let me see < that. [x] \"{ \xc3\xbc ");
    for (size_t step = 1; step < 10; step += 4)
        ck_assert_msg(count(NULL, CALLS[_i].parser, &text, step) <= GROWTHS, "%s", CALLS[_i].parser);
    buffer_free(&text);
}
END_TEST

int main(void)
{
    const int n = (int)(sizeof CALLS / sizeof *CALLS);
    Suite *s = suite_create("dialogue/reply_memory");
    TCase *c = tcase_create("memory");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, reasoning_is_read_without_any);
    tcase_add_loop_test(c, calls_are_read_with_no_more_in_bytes_than_in_one_piece, 0, n);
    tcase_add_loop_test(c, a_reply_that_memory_ran_out_in_fails_to_its_end, 0, n);
    tcase_add_loop_test(c, text_without_calls_needs_no_allocation_except_for_held_text, 0, n);
    suite_add_tcase(s, c);
    return support_run(s);
}
