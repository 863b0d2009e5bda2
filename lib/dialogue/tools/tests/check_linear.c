/* Tool parsers read each byte a bounded number of times, for any text. The test counts reads instead of
 * measuring time: the linker wraps the reading functions with those below.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "dialogue/text/span.h"
#include "dialogue/text/text.h"
#include "dialogue/tools/tools.h"

#define N_BYTES   4000
#define LOOKS_MAX 60 /* per byte */

static size_t n_looked;

void *__real_memchr(const void *text, int c, size_t n);
void *__wrap_memchr(const void *text, int c, size_t n);
void *__wrap_memchr(const void *text, int c, size_t n)
{
    const char *found = __real_memchr(text, c, n);
    n_looked += found ? (size_t)(found - (const char *)text) + 1 : n;
    return (void *)(uintptr_t)found;
}

int __real_memcmp(const void *text, const void *other, size_t n);
int __wrap_memcmp(const void *text, const void *other, size_t n);
int __wrap_memcmp(const void *text, const void *other, size_t n)
{
    const unsigned char *a = text, *b = other;
    size_t n_alike = 0;
    while (n_alike < n && a[n_alike] == b[n_alike]) n_alike++;
    n_looked += n_alike + (n_alike < n); /* up to the first difference */
    return __real_memcmp(text, other, n);
}

size_t __real_serve_text_space(const char *text, size_t n);
size_t __wrap_serve_text_space(const char *text, size_t n);
size_t __wrap_serve_text_space(const char *text, size_t n)
{
    n_looked++;
    return __real_serve_text_space(text, n);
}

size_t __real_serve_span_word(assay_text text);
size_t __wrap_serve_span_word(assay_text text);
size_t __wrap_serve_span_word(assay_text text)
{
    const size_t n = __real_serve_span_word(text);
    n_looked += n;
    return n;
}

void *__real_memmove(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n)
{
    n_looked += n;
    return __real_memmove(to, from, n);
}

static void ignore(void *context, assay_part part, const char *text, size_t n)
{
    (void)context;
    (void)part;
    (void)text;
    (void)n;
}

/* text: [N_BYTES], fed in bytes and whole. */
static void read_all(const char *parser, const char *text, const char *begin, const char *more)
{
    const size_t n = N_BYTES;
    const assay_sink sink = {.take = ignore};
    for (size_t step = 1; step <= n; step += n - 1) {
        serve_tools *t;
        ck_assert_int_eq(serve_tools_open(parser, (assay_text){0}, &t, NULL), ASSAY_OK);
        n_looked = 0;
        assay_status rc = ASSAY_OK; /* one assertion, because libcheck writes to a file each time */
        for (size_t at = 0; at < n && rc == ASSAY_OK; at += step)
            rc = serve_tools_feed(t, text + at, step, &sink, NULL);
        ck_assert_int_eq(rc, ASSAY_OK);
        ck_assert_int_eq(serve_tools_end(t, &sink, NULL), ASSAY_OK);
        ck_assert_msg(n_looked <= LOOKS_MAX * n, "%s, in steps of %zu: %s%s…: %zu looks at a byte", parser,
                      step, begin, more, n_looked / n);
        serve_tools_free(t);
    }
}

/* begin, followed by repetitions of `more`. */
static void expect_linear(const char *parser, const char *begin, const char *more)
{
    char text[N_BYTES];
    const size_t n_begin = strlen(begin), n_more = strlen(more);
    memcpy(text, begin, n_begin);
    for (size_t i = n_begin; i < N_BYTES; i++) text[i] = more[(i - n_begin) % n_more];
    read_all(parser, text, begin, more);
}

/* Repetitions of `more`, followed by as many of its end. */
static void expect_linear_nested(const char *parser, const char *more, const char *end)
{
    char text[N_BYTES];
    const size_t n_more = strlen(more), n_end = strlen(end), n = N_BYTES * n_more / (n_more + n_end);
    for (size_t i = 0; i < N_BYTES; i++) text[i] = i < n ? more[i % n_more] : end[(i - n) % n_end];
    read_all(parser, text, more, end);
}

/* begin, repetitions of `more`, and end. */
static void expect_linear_between(const char *parser, const char *begin, const char *more, const char *end)
{
    char text[N_BYTES];
    const size_t n_begin = strlen(begin), n_more = strlen(more), n_end = strlen(end);
    memcpy(text, begin, n_begin);
    for (size_t i = n_begin; i < N_BYTES; i++) text[i] = more[(i - n_begin) % n_more];
    memcpy(text + N_BYTES - n_end, end, n_end);
    read_all(parser, text, begin, more);
}

/* A parser, and the parts of its blocks. */
typedef struct material {
    const char *parser;
    const char *parts[12]; /* NULL after the last */
} material;

static const material materials[] = {
    {"hermes",
     {"<tool_call>", "</tool_call>", "<function=", "</function>", "<parameter=", "</parameter>",
      "<tool_call>{", "}</tool_call>", "<tool_call> <function=x>", "<think>", "</think>"}},
    {"qwen",
     {"<tool_call>", "</tool_call>", "<function=", "</function>", "[Calling tool:", ")]", "<tool_call>{",
      "f({", "})]", "<think>", "</think>"}},
    {"qwen3_xml",
     {"<tool_call>", "</tool_call>", "<function=", "</function>", "<parameter=", "</parameter>",
      "<function=x>", "<parameter=x>", "<function=x><<tool_call>", "</"}},
    {"gemma4",
     {"<|tool_call>", "<tool_call|>", "call:x{", "call:", "(", "<|\"|>", "call:x(", "<|tool_call>call:x{",
      "<think>", "</think>"}},
    {"mistral", {"[TOOL_CALLS]", "[ARGS]", "x{", "[{", "}]", "[TOOL_CALLS]["}},
    {"llama",
     {"<|python_tag|>", ";", "<function=", "</function>", "<|python_tag|>{", "{\"name\"", "<function=x>{"}},
    {"glm47",
     {"<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>",
      "<tool_call>x\n", "<think>", "</think>"}},
    {"harmony",
     {"<|channel|>", "<|message|>", "<|call|>", "<|end|>", "<|start|>assistant", "<|constrain|>",
      "<|channel|>commentary", "<|channel|>final<|message|>", "<|"}},
    {"granite", {"<|tool_call|>", "<tool_call>", "[", "]", "<tool_call>[{", "},"}},
    {"xlam", {"```", "[TOOL_CALLS]", "\n", "[{", "}]", "```json\n["}},
    {"functionary",
     {"<|recipient|>", "<|recipient|>x\n<|content|>", "<|content|>", "<function=", "<function=x>{", ">",
      "}<|", "</function>", "[", "\n"}},
    {"nemotron",
     {"<tool_call>", "</tool_call>", "<function=", "</function>", "<parameter=", "</parameter>",
      "<tool_call><function=x>", "</function></tool_call>", ">"}},
    {"kimi",
     {"<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>",
      "<|tool_call_end|>", "<|tool_call_begin|>x<|tool_call_argument_begin|>", ":", "."}},
    {"deepseek",
     {"<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "\n```json\n",
      "\n```<｜tool▁call▁end｜>", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>x"}},
    {"minimax",
     {"<minimax:tool_call>", "</minimax:tool_call>", "<invoke name=\"", "</invoke>", "<parameter name=\"",
      "</parameter>", "<invoke name=\"x\">", "\">"}},
    {"step3p5",
     {"<tool_call>", "</tool_call>", "<function=", "</function>", "[Calling tool:", ")]",
      "<function=x></function>"}},
    {"poolside_v1",
     {"<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>",
      "<tool_call>x\n", "<think>", "</think>"}},
    {"deepseek_v4",
     {"<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", "<｜DSML｜invoke name=\"x\">", "</｜DSML｜invoke>",
      "<｜DSML｜parameter name=\"x\" string=\"true\">", "</｜DSML｜parameter>", "<｜DSML｜invoke"}},
    {"auto",
     {"<tool_call>", "</tool_call>", "<|tool_call>call:x{", "<tool_call|>", "<｜DSML｜tool_calls>",
      "[TOOL_CALLS]", "[Calling tool:", "[x({", "})]", "<function=", "</function>", "<tool_call>x\n"}},
};

/* Parts for all parsers. */
static const char *const common[] = {" ", "x", "{", "}", "\"", "<"};
enum { N_COMMON = sizeof common / sizeof *common };

static const char *part_of(const material *m, size_t i)
{
    return i < N_COMMON ? common[i] : i - N_COMMON < 12 ? m->parts[i - N_COMMON] : NULL;
}

/* All combinations of its parts. */
START_TEST(a_parser_is_linear)
{
    const material *m = &materials[_i];
    for (size_t i = 0; part_of(m, i); i++)
        for (size_t j = 0; part_of(m, j); j++) {
            char both[256];
            (void)snprintf(both, sizeof both, "%s%s", part_of(m, i), part_of(m, j));
            expect_linear(m->parser, part_of(m, i), part_of(m, j));
            expect_linear(m->parser, "", both);
        }
}
END_TEST

START_TEST(nesting_takes_linear_time)
{
    static const char *const llama[] = {"<|python_tag|>{", "<function=x>{", "<function="};
    static const char *const ends[] = {"}", "x</function>", ">x", "\"</function>"};
    for (size_t i = 0; i < sizeof llama / sizeof *llama; i++)
        for (size_t j = 0; j < sizeof ends / sizeof *ends; j++)
            expect_linear_nested("llama", llama[i], ends[j]);
}
END_TEST

START_TEST(elements_of_a_block_take_linear_time)
{
    static const char *const parts[] = {
        "[Calling tool: f({", "[Calling tool: f({})]", "<tool_call>{",  "<tool_call>{}</tool_call>",
        "</tool_call>",       "})]</tool_call>",       "[Calling tool:"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        expect_linear_between("qwen", "<function=f>", parts[i], "</function>");
        expect_linear_between("qwen", "<tool_call>{", parts[i], "})]</tool_call>");
    }
    expect_linear_between("hermes", "<tool_call>a<tool_call>", "{", "}");
    expect_linear_between("gemma4", "<|tool_call><tool_call|>", "call:f(", ")");
    expect_linear_between("harmony", "<|channel|>commentary to=functions.f<|message|>", "<|message|>", "x");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/tools/linear");
    TCase *c = tcase_create("linear");
    tcase_set_timeout(c, 300);
    tcase_add_loop_test(c, a_parser_is_linear, 0, sizeof materials / sizeof *materials);
    tcase_add_test(c, nesting_takes_linear_time);
    tcase_add_test(c, elements_of_a_block_take_linear_time);
    suite_add_tcase(s, c);
    return support_run(s);
}
