/* Completions: how they end, their token counts, and that no stop text is emitted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/tests/support.h"
#include "dialogue/completion.h"
#include "dialogue/tokenizing.h"

enum { FIRST = 416, END = 418, GEMMA_END = 106 }; /* <|endoftext|>, <|im_end|>, <turn|> */

static assay_tokenizer *tokenizer;

static void open_tokenizer(const char *name)
{
    const char *top = getenv("top_srcdir");
    char dir[1024];
    assay_error err = {0};
    (void)snprintf(dir, sizeof dir, "%s/fixtures/trained/%s/model", top ? top : ".", name);
    ck_assert_msg(serve_tokenizer_open(dir, &tokenizer, &err) == ASSAY_OK, "%s", err.text);
}

static void setup(void)
{
    open_tokenizer("qwen3");
}

static void teardown(void)
{
    serve_tokenizer_free(tokenizer);
}

/* Pieces, each after a separator byte that occurs in no text. */
static void take(void *context, assay_part part, const char *text, size_t n)
{
    ck_assert_int_eq(part, ASSAY_PART_CONTENT);
    buffer_append(context, "\1", 1);
    buffer_append(context, text, n);
}

static assay_completion *open_completion(const char *const *stops, size_t n_stops, size_t most)
{
    static assay_text texts[8];
    static const int32_t ids[] = {FIRST, END, GEMMA_END}; /* as in the checkpoints */
    assay_completion *c = NULL;
    assay_error err = {0};
    for (size_t i = 0; i < n_stops; i++) texts[i] = (assay_text){stops[i], strlen(stops[i])};
    const assay_completion_options options = {.size = sizeof options,
                                              .tokenizer = tokenizer,
                                              .stop_ids = ids,
                                              .n_stop_ids = sizeof ids / sizeof *ids,
                                              .stop_texts = texts,
                                              .n_stop_texts = n_stops,
                                              .prompt_tokens = 5,
                                              .max_tokens = most};
    ck_assert_msg(serve_completion_open(&options, &c, &err) == ASSAY_OK, "%s", err.text);
    return c;
}

/* Pushes the tokens of a text until the completion ends. Returns its last state. */
static assay_completion_state push_text(assay_completion *c, const char *text, buffer *out)
{
    int32_t ids[256];
    size_t n = 0;
    assay_completion_state state = {0};
    const assay_sink sink = {.take = take, .context = out};
    assay_error err = {0};
    ck_assert_int_eq(serve_encode(tokenizer, text, strlen(text), false, ids, 256, &n, &err), ASSAY_OK);
    ck_assert_uint_le(n, 256);
    for (size_t i = 0; i < n && state.finish == ASSAY_FINISH_NONE; i++)
        ck_assert_msg(serve_completion_push(c, ids[i], &sink, &state, &err) == ASSAY_OK, "%s", err.text);
    return state;
}

/* The joined pieces, terminated. Frees them. */
static buffer join(buffer *pieces)
{
    buffer joined = {0};
    for (size_t i = 0; i < pieces->n; i++)
        if (pieces->data[i] != '\1') buffer_append(&joined, pieces->data + i, 1);
    buffer_append(&joined, "", 1);
    buffer_free(pieces);
    return joined;
}

/* The joined output for a text. */
static assay_completion_state expect_text(const char *const *stops, size_t n_stops, size_t most,
                                          const char *text, const char *expected)
{
    buffer out = {0};
    assay_completion *c = open_completion(stops, n_stops, most);
    const assay_completion_state state = push_text(c, text, &out);
    buffer joined = join(&out);
    ck_assert_str_eq(joined.data, expected);
    buffer_free(&joined);
    serve_completion_free(c);
    return state;
}

START_TEST(a_stop_id_ends_it_and_is_no_text)
{
    const assay_completion_state s = expect_text(NULL, 0, 99, "It is 7.<|im_end|>more", "It is 7.");
    ck_assert_int_eq(s.finish, ASSAY_FINISH_STOP);
    ck_assert_int_eq(s.stop_id, END);
    ck_assert(!s.by_text);
    ck_assert_uint_eq(s.prompt_tokens, 5);
    ck_assert_uint_gt(s.completion_tokens, 1);
}
END_TEST

START_TEST(any_id_of_the_stop_set_ends_it)
{
    static const int32_t ids[] = {FIRST, END, GEMMA_END};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        buffer out = {0};
        const assay_sink sink = {.take = take, .context = &out};
        assay_completion_state state = {0};
        assay_completion *c = open_completion(NULL, 0, 9);
        ck_assert_int_eq(serve_completion_push(c, ids[i], &sink, &state, NULL), ASSAY_OK);
        ck_assert_int_eq(state.finish, ASSAY_FINISH_STOP);
        ck_assert_int_eq(state.stop_id, ids[i]);
        ck_assert_uint_eq(state.completion_tokens, 1);
        ck_assert_uint_eq(out.n, 0);
        serve_completion_free(c);
    }
}
END_TEST

START_TEST(markers_are_left_in_the_text)
{
    (void)expect_text(NULL, 0, 99, "<think>\na\n</think>\n<|im_start|>x<|im_end|>",
                      "<think>\na\n</think>\n<|im_start|>x");
}
END_TEST

START_TEST(the_limit_ends_it_with_all_its_text)
{
    const assay_completion_state s = expect_text(NULL, 0, 1, "<think>abc", "<think>");
    ck_assert_int_eq(s.finish, ASSAY_FINISH_LENGTH);
    ck_assert_int_eq(s.stop_id, -1);
    ck_assert_uint_eq(s.completion_tokens, 1);
}
END_TEST

START_TEST(a_stop_id_at_the_limit_is_a_stop)
{
    const assay_completion_state s = expect_text(NULL, 0, 1, "<|im_end|>", "");
    ck_assert_int_eq(s.finish, ASSAY_FINISH_STOP);
    ck_assert_int_eq(s.stop_id, END);
}
END_TEST

/* A text, stop texts, the output, and whether a stop text has ended it. */
static const struct {
    const char *text, *stops[3], *expected;
    bool ends;
} stopped[] = {
    {"one two three", {"two"}, "one ", true},
    {"one two three", {" t"}, "one", true},
    {"one two three", {"xyz", "e t"}, "on", true},
    {"one two three", {"three four"}, "one two three", false},
    {"aab aac", {"aac"}, "aab ", true},
    {"abcabd", {"abd"}, "abc", true},
    {"what ends with st", {"stop"}, "what ends with st", false},
    {"Z\xc3\xbcrich", {"\xc3\xbc"}, "Z", true},
    {"a b c", {"b c", "b"}, "a ", true}, /* the first one that is complete */
    {"a b c", {"c", "b c"}, "a ", true}, /* of two that complete at once, the one that begins first */
    {"say </think> now", {"</think>"}, "say ", true}, /* a token of its own */
};

START_TEST(a_stop_text_ends_a_completion_and_is_not_output)
{
    char text[64];
    size_t n = 0;
    while (n < 3 && stopped[_i].stops[n]) n++;
    (void)snprintf(text, sizeof text, "%s<|im_end|>", stopped[_i].text);
    const assay_completion_state s = expect_text(stopped[_i].stops, n, 99, text, stopped[_i].expected);
    ck_assert_int_eq(s.finish, ASSAY_FINISH_STOP);
    ck_assert_int_eq(s.by_text, stopped[_i].ends);
    ck_assert_int_eq(s.stop_id, stopped[_i].ends ? -1 : END);
}
END_TEST

/* Bytes that a tokenizer holds back until they are known to be UTF-8, at the end of a completion. */
static const struct {
    const char *text, *stop;
    size_t most;
    const char *expected;
    assay_finish finish;
    bool by_text, by_id;
} HELD[] = {
    {"caf\xc3\xa9<turn|>", "\xc3\xa9", 99, "caf", ASSAY_FINISH_STOP, true, false},
    {"caf\xc3\xa9<turn|>", "xyz", 99, "caf\xc3\xa9", ASSAY_FINISH_STOP, false, true},
    {"caf\xc3\xa9", "\xc3\xa9", 5, "caf", ASSAY_FINISH_STOP, true, false},
    {"caf\xc3\xa9", "\xc3\xa9!", 5, "caf\xc3\xa9", ASSAY_FINISH_LENGTH, false, false},
};

START_TEST(text_that_comes_with_the_end_may_be_a_stop_text)
{
    serve_tokenizer_free(tokenizer);
    open_tokenizer("gemma4");
    const assay_completion_state s =
        expect_text(&HELD[_i].stop, 1, HELD[_i].most, HELD[_i].text, HELD[_i].expected);
    ck_assert_int_eq(s.finish, HELD[_i].finish);
    ck_assert_int_eq(s.by_text, HELD[_i].by_text);
    ck_assert_int_eq(s.stop_id, HELD[_i].by_id ? GEMMA_END : -1);
}
END_TEST

/* The output before the end; only a possible beginning of a stop text is held. */
static const struct {
    const char *text, *stops[2], *expected;
} EAGER[] = {
    {"one", {NULL}, "one"},           {"one", {"QQ"}, "one"},           {"one Q", {"QQ"}, "one "},
    {"one", {"one more", "ex"}, ""},  {"one", {"nex", "exit"}, "o"},    {"one", {"ex", "nex"}, "o"},
    {"two o", {"one", "on"}, "two "}, {"one one", {"one two"}, "one "}, {"onon", {"one"}, "on"},
};

START_TEST(only_a_possible_beginning_of_a_stop_text_is_held_back)
{
    buffer out = {0};
    const size_t n_stops = !EAGER[_i].stops[0] ? 0 : !EAGER[_i].stops[1] ? 1 : 2;
    assay_completion *c = open_completion(EAGER[_i].stops, n_stops, 99);
    ck_assert_int_eq(push_text(c, EAGER[_i].text, &out).finish, ASSAY_FINISH_NONE);
    buffer joined = join(&out);
    ck_assert_str_eq(joined.data, EAGER[_i].expected);
    buffer_free(&joined);
    serve_completion_free(c);
}
END_TEST

START_TEST(nothing_follows_the_end)
{
    buffer out = {0};
    assay_completion_state state = {0};
    assay_error err = {0};
    const assay_sink sink = {.take = take, .context = &out};
    assay_completion *c = open_completion(NULL, 0, 99);
    (void)push_text(c, "a<|im_end|>", &out);
    const size_t n = out.n;
    ck_assert_int_eq(serve_completion_push(c, 5, &sink, &state, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "the completion has ended", NULL);
    ck_assert_uint_eq(out.n, n);
    buffer_free(&out);
    serve_completion_free(c);
}
END_TEST

START_TEST(meaningless_options_are_refused)
{
    static char long_text[5000];
    memset(long_text, 'x', sizeof long_text - 1);
    const assay_text empty = {"", 0}, too_long = {long_text, 4097};
    const struct {
        assay_completion_options options;
        const char *reason;
    } refused[] = {
        {{.stop_texts = &empty, .n_stop_texts = 1}, "stop text 0 has 0 bytes"},
        {{.stop_texts = &too_long, .n_stop_texts = 1}, "stop text 0 has 4097 bytes, expected 1 to 4096"},
        {{.n_stop_texts = 65}, "found 65 stop texts"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assay_completion *c = NULL;
        assay_error err = {0};
        assay_completion_options options = refused[i].options;
        options.size = sizeof options;
        options.tokenizer = tokenizer;
        ck_assert_int_eq(serve_completion_open(&options, &c, &err), ASSAY_EINVAL);
        support_expect_error(&err, ASSAY_EINVAL, refused[i].reason, NULL);
        ck_assert_ptr_null(c);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dialogue/completion");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, setup, teardown);
    tcase_add_test(all, a_stop_id_ends_it_and_is_no_text);
    tcase_add_test(all, any_id_of_the_stop_set_ends_it);
    tcase_add_test(all, markers_are_left_in_the_text);
    tcase_add_test(all, the_limit_ends_it_with_all_its_text);
    tcase_add_test(all, a_stop_id_at_the_limit_is_a_stop);
    tcase_add_loop_test(all, a_stop_text_ends_a_completion_and_is_not_output, 0,
                        (int)(sizeof stopped / sizeof *stopped));
    tcase_add_loop_test(all, text_that_comes_with_the_end_may_be_a_stop_text, 0,
                        (int)(sizeof HELD / sizeof *HELD));
    tcase_add_loop_test(all, only_a_possible_beginning_of_a_stop_text_is_held_back, 0,
                        (int)(sizeof EAGER / sizeof *EAGER));
    tcase_add_test(all, nothing_follows_the_end);
    tcase_add_test(all, meaningless_options_are_refused);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
