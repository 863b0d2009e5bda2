/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tokenizer.h"

#include "model/detokenizer.h"
#include "model/tests/support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file whose members are each either as usual or as given. */
typedef struct file {
    const char *truncation, *padding, *added, *normalizer, *pretokenizer, *post, *decoder, *model, *version;
} file;

#define BPE_HEAD                                                                                             \
    "{\"type\":\"BPE\",\"dropout\":null,\"unk_token\":null,\"fuse_unk\":false,\"byte_fallback\":false,"
#define BPE    BPE_HEAD "\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,\"aba\":3},\"merges\":[\"a b\",[\"ab\",\"a\"]]}"
#define SIMPLE BPE_HEAD "\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,\"aba\":3},\"merges\":[\"a b\",\"ab a\"]}"

static const char *or_null(const char *text)
{
    return text ? text : "null";
}

static const char *write_file(const file *f)
{
    static int count;
    char name[32];
    static char text[1 << 16];
    (void)snprintf(name, sizeof name, "%d-%d", (int)getpid(), count++);
    const char *dir = support_mkdir(support_tmpdir(), name);
    const int n =
        snprintf(text, sizeof text,
                 "{\"version\":%s,\"truncation\":%s,\"padding\":%s,\"added_tokens\":%s,\"normalizer\":%s,"
                 "\"pre_tokenizer\":%s,\"post_processor\":%s,\"decoder\":%s,\"model\":%s}",
                 f->version ? f->version : "\"1.0\"", or_null(f->truncation), or_null(f->padding),
                 f->added ? f->added : "[]", or_null(f->normalizer), or_null(f->pretokenizer),
                 or_null(f->post), or_null(f->decoder), f->model ? f->model : SIMPLE);
    ck_assert_int_lt(n, (int)sizeof text);
    (void)support_write(dir, "tokenizer.json", text, (size_t)n);
    return dir;
}

static tokenizer *open_file(const file *f)
{
    tokenizer *t = NULL;
    assay_error err = {0};
    ck_assert_msg(tokenizer_open(write_file(f), &t, &err) == ASSAY_OK, "%s", err.text);
    return t;
}

static void expect_ids(const tokenizer *t, const char *text, size_t n, bool add_special, const char *expected)
{
    tokenizer_ids ids = {0};
    assay_error err = {0};
    char found[4096] = "";
    size_t used = 0;
    ck_assert_msg(tokenizer_encode(t, text, n, add_special, &ids, &err) == ASSAY_OK, "%s", err.text);
    for (size_t i = 0; i < ids.n && used < sizeof found; i++)
        used += (size_t)snprintf(found + used, sizeof found - used, "%s%d", i ? " " : "", (int)ids.ids[i]);
    ck_assert_str_eq(found, expected);
    tokenizer_ids_free(&ids);
}

#define TOKEN(text, flags) "{\"id\":9,\"content\":\"" text "\"," flags "}"
#define NO_FLAGS                                                                                             \
    "\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":false,\"special\":true"

static const struct {
    file f;
    assay_status status;
    const char *place, *words;
} REFUSED[] = {
    {{.version = "\"2.0\""}, ASSAY_EUNSUPPORTED, "version: ", "found \"2.0\", expected \"1.0\""},
    {{.model = "[]"}, ASSAY_EFORMAT, "model: ", "found an array, expected an object"},
    {{.model = "{\"type\":\"Other\"}"},
     ASSAY_EUNSUPPORTED,
     "model.type: ",
     "found \"Other\", expected BPE, "},
    {{.model = "{\"type\":\"BPE\",\"vocab\":{}}"}, ASSAY_EFORMAT, "model.merges: ", "found nothing"},
    {{.model = "{\"type\":\"BPE\",\"merges\":[]}"}, ASSAY_EFORMAT, "model.vocab: ", "found nothing"},
    {{.model = "{\"type\":\"BPE\",\"vocab\":{\"a\":-1},\"merges\":[]}"},
     ASSAY_EFORMAT,
     "model.vocab: ",
     "found -1 for an id"},
    {{.model = "{\"type\":\"BPE\",\"vocab\":{\"a\":4294967296},\"merges\":[]}"},
     ASSAY_EFORMAT,
     "model.vocab: ",
     "found 4294967296"},
    {{.model = "{\"type\":\"BPE\",\"vocab\":{\"a\":1,\"b\":1},\"merges\":[]}"},
     ASSAY_EFORMAT,
     "model.vocab: ",
     "found id 1 of"},
    {{.model = "{\"type\":\"BPE\",\"vocab\":{\"a\":1},\"merges\":[\"a b\"]}"},
     ASSAY_EFORMAT,
     "model.merges[0]: ",
     "found \"b\", expected a token"},
    {{.model = "{\"type\":\"BPE\",\"vocab\":{\"a\":1},\"merges\":[\"a a\"]}"},
     ASSAY_EFORMAT,
     "model.merges[0]: ",
     "found \"aa\", expected a token"},
    {{.model = "{\"type\":\"BPE\",\"vocab\":{\"a\":1},\"merges\":[\"a\"]}"},
     ASSAY_EFORMAT,
     "model.merges[0]: ",
     "expected two tokens"},
    {{.model = BPE}, ASSAY_EFORMAT, "model.merges[1]: ", "expected all to be texts, or all pairs"},
    {{.model = "{\"type\":\"BPE\",\"dropout\":0.1,\"vocab\":{},\"merges\":[]}"},
     ASSAY_EUNSUPPORTED,
     "model.dropout: ",
     "found 0.1, expected none"},
    {{.model = "{\"type\":\"Unigram\",\"vocab\":{}}"}, ASSAY_EFORMAT, "model.vocab: ", "expected an array"},
    {{.model = "{\"type\":\"Unigram\",\"unk_id\":1,\"vocab\":[[\"a\",0]]}"},
     ASSAY_EFORMAT,
     "model.unk_id: ",
     "found 1, expected 0 to 0"},
    {{.model = "{\"type\":\"WordPiece\",\"vocab\":{}}"},
     ASSAY_EFORMAT,
     "model.unk_token: ",
     "found nothing, expected a string"},
    {{.normalizer = "{\"type\":\"Unknown\"}"}, ASSAY_EUNSUPPORTED, "normalizer.type: ", "found \"Unknown\""},
    {{.normalizer = "{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFC\"},{\"type\":\"Prepend\"}]}"},
     ASSAY_EFORMAT,
     "normalizer.normalizers[1].prepend: ",
     "found nothing, expected a string"},
    {{.normalizer = "{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"a|\"},\"content\":\"\"}"},
     ASSAY_EUNSUPPORTED,
     "normalizer.pattern: ",
     "matches nothing, too"},
    {{.normalizer = "{\"type\":\"Replace\",\"pattern\":{\"String\":\"\"},\"content\":\"\"}"},
     ASSAY_EUNSUPPORTED,
     "normalizer.pattern.String: ",
     "found an empty text"},
    {{.normalizer = "{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"AAAA\"}"},
     ASSAY_EFORMAT,
     "normalizer.precompiled_charsmap: ",
     "found 3 bytes with a double array"},
    {{.normalizer = "{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"?\"}"},
     ASSAY_EFORMAT,
     "normalizer.precompiled_charsmap: ",
     "no base64"},
    {{.pretokenizer = "{\"type\":\"UnicodeScripts\"}"},
     ASSAY_EUNSUPPORTED,
     "pre_tokenizer.type: ",
     "found \"UnicodeScripts\""},
    {{.pretokenizer =
          "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"(a\"},\"behavior\":\"Isolated\",\"invert\":false}"},
     ASSAY_EUNSUPPORTED,
     "pre_tokenizer.pattern.Regex: ",
     "found a ( without its )"},
    {{.pretokenizer = "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"\\\\p{Klingon}\"},\"behavior\":"
                      "\"Isolated\",\"invert\":false}"},
     ASSAY_EUNSUPPORTED,
     "pre_tokenizer.pattern.Regex: ",
     "of which PCRE2 says"},
    {{.pretokenizer = "{\"type\":\"Metaspace\",\"replacement\":\"ab\"}"},
     ASSAY_EFORMAT,
     "pre_tokenizer.replacement: ",
     "expected one character"},
    {{.pretokenizer = "{\"type\":\"Metaspace\",\"replacement\":\"_\",\"add_prefix_space\":false}"},
     ASSAY_EFORMAT,
     "pre_tokenizer.add_prefix_space: ",
     "expected a prepend_scheme \"never\""},
    {{.post = "{\"type\":\"TemplateProcessing\",\"single\":[{\"SpecialToken\":{\"id\":\"x\",\"type_id\":0}}],"
              "\"special_tokens\":{}}"},
     ASSAY_EFORMAT,
     "post_processor.single[0].SpecialToken.id: ",
     "found \"x\""},
    {{.post = "{\"type\":\"TemplateProcessing\",\"single\":[{\"Sequence\":{\"id\":\"B\",\"type_id\":0}}],"
              "\"special_tokens\":{}}"},
     ASSAY_EFORMAT,
     "post_processor.single[0].Sequence.id: ",
     "found \"B\""},
    {{.decoder = "{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Fuse\"},{\"type\":\"Strip\",\"content\":"
                 "\" \",\"start\":-1,\"stop\":0}]}"},
     ASSAY_EFORMAT,
     "decoder.decoders[1].start: ",
     "found -1"},
    {{.decoder = "{\"type\":\"None\"}"}, ASSAY_EUNSUPPORTED, "decoder.type: ", "found \"None\""},
    {{.truncation = "{\"max_length\":5,\"strategy\":\"OnlySecond\",\"stride\":0}"},
     ASSAY_EUNSUPPORTED,
     "truncation.strategy: ",
     "OnlySecond"},
    {{.truncation = "{\"max_length\":5,\"strategy\":\"LongestFirst\",\"stride\":5}"},
     ASSAY_EFORMAT,
     "truncation: ",
     "stride 5"},
    {{.padding = "{\"strategy\":\"Longest\",\"pad_id\":0}"},
     ASSAY_EUNSUPPORTED,
     "padding.strategy: ",
     "found \"Longest\""},
    {{.added = "[" TOKEN("x", "\"single_word\":1") "]"},
     ASSAY_EFORMAT,
     "added_tokens[0].single_word: ",
     "found an integer"},
};

START_TEST(what_a_file_asks_for_and_is_not_there_is_refused_by_its_place)
{
    tokenizer *t = NULL;
    assay_error err = {0};
    ck_assert_int_eq(tokenizer_open(write_file(&REFUSED[_i].f), &t, &err), REFUSED[_i].status);
    ck_assert_ptr_null(t);
    support_expect_error(&err, REFUSED[_i].status, "tokenizer.json: ", REFUSED[_i].place, REFUSED[_i].words,
                         NULL);
}
END_TEST

START_TEST(a_directory_without_the_file_is_an_error_of_reading)
{
    tokenizer *t = NULL;
    assay_error err = {0};
    ck_assert_int_eq(tokenizer_open(support_mkdir(support_tmpdir(), "empty"), &t, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, "tokenizer.json", NULL);
}
END_TEST

START_TEST(the_lowest_rank_merges_first_and_the_leftmost_of_several)
{
    tokenizer *t = open_file(&(file){0});
    expect_ids(t, "ababa", 5, false, "2 3");
    expect_ids(t, "baab", 4, false, "1 0 2");
    expect_ids(t, "", 0, true, "");
    expect_ids(t, "xax", 3, false, "0"); /* without an unknown token, what is not known is dropped */
    tokenizer_free(t);
}
END_TEST

START_TEST(bytes_that_are_no_utf8_are_encoded_as_replacement_characters)
{
    static const file f = {.model = BPE_HEAD "\"vocab\":{\"a\":0,\"\xef\xbf\xbd\":1},\"merges\":[]}"};
    tokenizer *t = open_file(&f);
    expect_ids(t,
               "a\xff\xe2\x82"
               "a\xf0\x9f",
               7, false, "0 1 1 0 1");
    expect_ids(t, "\xef\xbf\xbd", 3, false, "1");
    tokenizer_free(t);
}
END_TEST

/* Flags of added tokens, in the order of the file. */
#define FLAGS(single, left, right)                                                                           \
    "\"single_word\":" single ",\"lstrip\":" left ",\"rstrip\":" right                                       \
    ",\"normalized\":false,\"special\":false"

static const char ADDED[] = "[" TOKEN("<x>", NO_FLAGS);
static const char MORE_ADDED[] = "," TOKEN("<l>", FLAGS("false", "true", "false"));
static const char LAST_ADDED[] = "," TOKEN("<r>", FLAGS("false", "false", "true"));
static const char WORD_ADDED[] = "," TOKEN("w", FLAGS("true", "false", "false"));
static const char END_ADDED[] = "," TOKEN("<xx>", NO_FLAGS) "]";

START_TEST(added_tokens_are_found_with_the_white_space_that_they_take)
{
    char added[2048];
    (void)snprintf(added, sizeof added, "%s%s%s%s%s", ADDED, MORE_ADDED, LAST_ADDED, WORD_ADDED, END_ADDED);
    const file f = {.added = added,
                    .model = BPE_HEAD "\"vocab\":{\"a\":0,\" \":1,\"w\":2,\"<\":3},\"merges\":[]}"};
    tokenizer *t = open_file(&f);
    /* Ids follow those of the model; "w" has the model's. */
    expect_ids(t, "a <x> a", 7, false, "0 1 4 1 0");
    expect_ids(t, "a  <l> a", 8, false, "0 5 1 0");
    expect_ids(t, "a <r>  a", 8, false, "0 1 6 0");
    expect_ids(t, "<r>  <l>", 8, false, "6 5");
    expect_ids(t, "awa w", 5, false, "0 2 0 1 2");
    expect_ids(t, "<<xx>", 5, false, "3 7");
    ck_assert_int_eq(tokenizer_id_of(t, "<x>", 3), 4);
    ck_assert_int_eq(tokenizer_id_of(t, "<y>", 3), -1);
    ck_assert(tokenizer_is_special(t, 4));
    ck_assert(!tokenizer_is_special(t, 5));
    size_t n;
    ck_assert_mem_eq(tokenizer_text_of(t, 7, &n), "<xx>", 4);
    ck_assert_uint_eq(n, 4);
    ck_assert_ptr_null(tokenizer_text_of(t, 8, &n));
    tokenizer_free(t);
}
END_TEST

static void expect_text(const tokenizer *t, const int32_t *ids, size_t n, bool skip, const char *expected)
{
    buffer text = {0}, pieces = {0};
    assay_error err = {0};
    detokenizer *d = NULL;
    const char *piece;
    size_t n_piece;
    ck_assert_int_eq(tokenizer_decode(t, ids, n, skip, &text, &err), ASSAY_OK);
    ck_assert_uint_eq(text.n, strlen(expected));
    if (text.n > 0) ck_assert_mem_eq(text.data, expected, text.n);
    ck_assert_int_eq(detokenizer_open(t, skip, &d, &err), ASSAY_OK);
    for (size_t i = 0; i <= n; i++) {
        ck_assert_int_eq(i < n ? detokenizer_push(d, ids[i], &piece, &n_piece, &err)
                               : detokenizer_end(d, &piece, &n_piece, &err),
                         ASSAY_OK);
        ck_assert(buffer_append(&pieces, piece, n_piece));
    }
    ck_assert_uint_eq(pieces.n, text.n);
    if (text.n > 0) ck_assert_mem_eq(pieces.data, text.data, text.n);
    detokenizer_free(d);
    buffer_free(&text);
    buffer_free(&pieces);
}

START_TEST(an_id_that_means_nothing_has_no_text_and_a_negative_one_is_refused)
{
    static const file f = {.added = "[" TOKEN("<x>", NO_FLAGS) "]", .decoder = "{\"type\":\"Fuse\"}"};
    tokenizer *t = open_file(&f);
    buffer text = {0};
    assay_error err = {0};
    expect_text(t, (const int32_t[]){2, 77, 0, 4}, 4, false, "aba<x>");
    expect_text(t, (const int32_t[]){2, 77, 0, 4}, 4, true, "aba");
    expect_text(t, NULL, 0, true, "");
    ck_assert_int_eq(tokenizer_decode(t, (const int32_t[]){-1}, 1, false, &text, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "tokenizer.json: found id -1", NULL);
    tokenizer_free(t);
    t = open_file(&(file){0});
    expect_text(t, (const int32_t[]){2, 0}, 2, false, "ab a"); /* without a decoder */
    tokenizer_free(t);
}
END_TEST

/* Pieces as they come, each ended by '|'. */
static void expect_pieces(const tokenizer *t, const int32_t *ids, size_t n, const char *expected)
{
    buffer pieces = {0};
    assay_error err = {0};
    detokenizer *d = NULL;
    const char *piece;
    size_t n_piece;
    ck_assert_int_eq(detokenizer_open(t, false, &d, &err), ASSAY_OK);
    for (size_t i = 0; i <= n; i++) {
        ck_assert_int_eq(i < n ? detokenizer_push(d, ids[i], &piece, &n_piece, &err)
                               : detokenizer_end(d, &piece, &n_piece, &err),
                         ASSAY_OK);
        ck_assert(buffer_append(&pieces, piece, n_piece) && buffer_append(&pieces, "|", 1));
    }
    ck_assert(buffer_append(&pieces, "", 1));
    ck_assert_str_eq(pieces.data, expected);
    detokenizer_free(d);
    buffer_free(&pieces);
}

START_TEST(a_stream_never_releases_half_a_character)
{
    static const file bytes = {
        .model = BPE_HEAD "\"vocab\":{\"a\":0,\"â\":1,\"Ĥ\":2,\"¬\":3},\"merges\":[]}",
        .decoder = "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":false}"};
    tokenizer *t = open_file(&bytes); /* E2, 82, AC: the euro sign */
    expect_pieces(t, (const int32_t[]){0, 1, 2, 3, 0}, 5, "a|||€|a||");
    expect_pieces(t, (const int32_t[]){1, 0, 1, 2}, 4,
                  "|\xef\xbf\xbd"
                  "a||"
                  "|\xef\xbf\xbd|");
    expect_pieces(t, (const int32_t[]){3, 0}, 2, "\xef\xbf\xbd|a||");
    tokenizer_free(t);
    static const file fallback = {
        .model = BPE_HEAD "\"vocab\":{\"a\":0,\"<0xE2>\":1,\"<0x82>\":2,\"<0xAC>\":3},\"merges\":[]}",
        .decoder = "{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"},"
                   "{\"type\":\"Strip\",\"content\":\"a\",\"start\":1,\"stop\":0}]}"};
    t = open_file(&fallback);
    expect_pieces(t, (const int32_t[]){0, 1, 2, 3, 0}, 5, "||||€a||");
    /* A whole character in a row of bytes that turns out to be no text is none. */
    expect_pieces(t, (const int32_t[]){1, 2, 3, 3, 0}, 5,
                  "|||\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|a||");
    tokenizer_free(t);
}
END_TEST

START_TEST(a_template_goes_around_and_truncation_leaves_room_for_it)
{
    static const file f = {
        .post = "{\"type\":\"BertProcessing\",\"sep\":[\"s\",8],\"cls\":[\"c\",7]}",
        .truncation = "{\"direction\":\"Left\",\"max_length\":4,\"strategy\":\"LongestFirst\",\"stride\":0}",
        .padding = "{\"strategy\":{\"Fixed\":6},\"direction\":\"Left\",\"pad_to_multiple_of\":4,\"pad_id\":5,"
                   "\"pad_type_id\":0,\"pad_token\":\"p\"}"};
    tokenizer *t = open_file(&f);
    expect_ids(t, "abbab", 5, true, "5 5 5 5 7 1 2 8");
    expect_ids(t, "bbbbbab", 7, false, "5 5 5 5 1 1 1 2");
    tokenizer_free(t);
}
END_TEST

enum { LONG = 1 << 20 };

/* A word of a megabyte must not take the square of its length: the tests' own time-out would end it. */
START_TEST(a_megabyte_without_a_space_takes_linear_time)
{
    static const char *const MODELS[] = {SIMPLE,
                                         "{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"u\",0],[\"a\",-1],"
                                         "[\"b\",-1],[\"ab\",-1.5],[\"abab\",-2]]}",
                                         "{\"type\":\"WordPiece\",\"unk_token\":\"a\",\"continuing_subword_"
                                         "prefix\":\"\",\"max_input_chars_per_word\":9999999,"
                                         "\"vocab\":{\"a\":0,\"b\":1,\"ab\":2}}"};
    static char text[LONG];
    for (size_t i = 0; i < LONG; i++) text[i] = "ab"[i % 2];
    tokenizer *t = open_file(&(file){.model = MODELS[_i]});
    tokenizer_ids ids = {0};
    assay_error err = {0};
    ck_assert_int_eq(tokenizer_encode(t, text, LONG, false, &ids, &err), ASSAY_OK);
    ck_assert_uint_eq(ids.n, _i == 1 ? LONG / 4 : LONG / 2);
    tokenizer_ids_free(&ids);
    tokenizer_free(t);
}
END_TEST

START_TEST(a_megabyte_of_marks_or_of_white_space_takes_linear_time)
{
    static const file f = {.added = "[" TOKEN(" ", "\"single_word\":false,\"lstrip\":false,\"rstrip\":true,"
                                                   "\"normalized\":false,\"special\":false") "]",
                           .normalizer = "{\"type\":\"NFC\"}",
                           .pretokenizer = "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"\\\\s+(?!\\\\S)|"
                                           "\\\\s+|\\\\p{M}+\"},\"behavior\":\"Isolated\",\"invert\":false}"};
    tokenizer *t = open_file(&f);
    tokenizer_ids ids = {0};
    assay_error err = {0};
    static char text[LONG];
    memset(text, ' ', LONG);
    ck_assert_int_eq(tokenizer_encode(t, text, LONG, false, &ids, &err), ASSAY_OK);
    for (size_t i = 0; i < LONG; i += 2)
        memcpy(text + i, i % 4 ? "\xcc\x81" : "\xcc\xa7", 2); /* acute, cedilla */
    ck_assert_int_eq(tokenizer_encode(t, text, LONG, false, &ids, &err), ASSAY_OK);
    ck_assert_uint_eq(ids.n, 0);
    tokenizer_ids_free(&ids);
    tokenizer_free(t);
}
END_TEST

START_TEST(an_encoder_that_remembers_words_answers_as_a_fresh_one)
{
    tokenizer *t = open_file(&(file){.pretokenizer = "{\"type\":\"WhitespaceSplit\"}"});
    tokenizer_encoder *e = NULL;
    tokenizer_ids first = {0}, again = {0};
    assay_error err = {0};
    ck_assert_int_eq(tokenizer_encoder_open(t, &e, &err), ASSAY_OK);
    for (unsigned round = 0; round < 60; round++) {
        char text[2000];
        for (size_t i = 0; i < sizeof text; i++) text[i] = "ab "[(i * 7 + i * i / (3 + round) + round) % 3];
        ck_assert_int_eq(tokenizer_encode_with(e, text, sizeof text, false, &first, &err), ASSAY_OK);
        for (size_t from = 0, out = 0; from < sizeof text; from += 100) { /* in parts too short to remember */
            size_t to = from + 100 < sizeof text ? from + 100 : sizeof text;
            while (to < sizeof text && text[to - 1] != ' ') to++;
            ck_assert_int_eq(tokenizer_encode(t, text + from, to - from, false, &again, &err), ASSAY_OK);
            if (again.n > 0) ck_assert_mem_eq(first.ids + out, again.ids, again.n * sizeof *again.ids);
            out += again.n;
            from = to - 100;
        }
    }
    tokenizer_ids_free(&first);
    tokenizer_ids_free(&again);
    tokenizer_encoder_free(e);
    tokenizer_free(t);
}
END_TEST

static void *encode_on_a_thread(void *context)
{
    for (int i = 0; i < 200; i++) expect_ids(context, "ababa baab", 10, false, "2 2 3 2");
    return NULL;
}

START_TEST(one_tokenizer_serves_many_threads)
{
    pthread_t threads[4];
    tokenizer *t = open_file(&(file){0});
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, encode_on_a_thread, t), 0);
    for (size_t i = 0; i < 4; i++) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    tokenizer_free(t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/tokenizer");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 20);
    tcase_add_loop_test(all, what_a_file_asks_for_and_is_not_there_is_refused_by_its_place, 0,
                        (int)(sizeof REFUSED / sizeof *REFUSED));
    tcase_add_test(all, a_directory_without_the_file_is_an_error_of_reading);
    tcase_add_test(all, the_lowest_rank_merges_first_and_the_leftmost_of_several);
    tcase_add_test(all, bytes_that_are_no_utf8_are_encoded_as_replacement_characters);
    tcase_add_test(all, added_tokens_are_found_with_the_white_space_that_they_take);
    tcase_add_test(all, an_id_that_means_nothing_has_no_text_and_a_negative_one_is_refused);
    tcase_add_test(all, a_stream_never_releases_half_a_character);
    tcase_add_test(all, a_template_goes_around_and_truncation_leaves_room_for_it);
    tcase_add_loop_test(all, a_megabyte_without_a_space_takes_linear_time, 0, 3);
    tcase_add_test(all, a_megabyte_of_marks_or_of_white_space_takes_linear_time);
    tcase_add_test(all, an_encoder_that_remembers_words_answers_as_a_fresh_one);
    tcase_add_test(all, one_tokenizer_serves_many_threads);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
