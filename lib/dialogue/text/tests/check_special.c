/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/text/special.h"

#include "base/buffer.h"
#include "base/tests/support.h"

#include <string.h>

static void collect(void *context, assay_text piece)
{
    ck_assert_uint_gt(piece.n, 0);
    buffer_append(context, piece.at, piece.n);
    ck_assert_int_ne((unsigned char)piece.at[0] & 0xc0U, 0x80); /* pieces are whole characters */
}

/* A text, and its expected rest; NULL: the whole text. */
static const struct {
    const char *text, *left;
} ROWS[] = {
    {"a<|im_end|>b", "ab"},
    {"<|im_start|><|endoftext|><|end|><|eot_id|>", ""},
    {"<|start_header_id|>a<|end_header_id|>", "a"},
    {"<|start|>a<|channel|>b<|message|>c<|return|>d<|call|>e<|constrain|>f", "abcdef"},
    {"<s>a</s>b<pad>c[PAD]d[SEP]e[CLS]f", "abcdef"},
    {"a[e~[b]~!b[c</tool_call_reasoning>d<tool_call_reasoning>e", "abcde"},
    {"]~b]ai\nb", "\nb"},
    {"a]~b]", "a"},
    {"]~b]az{", "{"},
    {"]~b]<s>a", "a"},
    {"]~b]AI", "AI"},
    {"<|im_<|im_end|>end|>", "<|im_end|>"},
    {"<<|im_end|>", "<"},
    {"<|<s>im_end|>", "<|im_end|>"},
    {"</</s>", "</"},
    {"[[PAD]]", "[]"},
    {"]]~b]a ", "] "},
    {"<|im_end|", NULL},
    {"<|im_end", NULL},
    {"<tool_call_reasoning", NULL},
    {"</ \342\200\203<é日[👍🏽]~", NULL},
    {"<|IM_END|> <S> [pad] < s>", NULL},
    {"", NULL},
};

static void expect(const char *text, size_t piece, const char *left)
{
    serve_special s = {0};
    buffer out = {0};
    for (size_t at = 0, n = strlen(text); at < n; at += piece) {
        while (at + piece < n && ((unsigned char)text[at + piece] & 0xc0U) == 0x80U) piece++;
        serve_special_feed(&s, (assay_text){text + at, piece < n - at ? piece : n - at}, collect, &out);
    }
    serve_special_end(&s, collect, &out);
    buffer_append(&out, "", 1);
    ck_assert_str_eq(out.data, left ? left : text);
    ck_assert_uint_eq(s.n, 0);
    ck_assert(!s.letters);
    buffer_free(&out);
}

START_TEST(special_tokens_are_removed_for_any_cuts)
{
    for (size_t piece = 1; piece < 25; piece++) expect(ROWS[_i].text, piece, ROWS[_i].left);
}
END_TEST

START_TEST(text_that_begins_no_token_is_not_held_back)
{
    serve_special s = {0};
    buffer out = {0};
    serve_special_feed(&s, (assay_text){"a < b <|im_x[PA.", 16}, collect, &out);
    ck_assert_uint_eq(out.n, 16);
    serve_special_feed(&s, (assay_text){"b<|im", 5}, collect, &out);
    ck_assert_uint_eq(out.n, 17);
    buffer_free(&out);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/text/special");
    TCase *tc = tcase_create("special");
    tcase_add_loop_test(tc, special_tokens_are_removed_for_any_cuts, 0, sizeof ROWS / sizeof *ROWS);
    tcase_add_test(tc, text_that_begins_no_token_is_not_held_back);
    suite_add_tcase(s, tc);
    return support_run(s);
}
