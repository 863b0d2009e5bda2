/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/tokenizer.h"

#include "base/tests/support.h"
#include "tokenizer/tests/tokenizer_file.h"

#define NORMALIZED                                                                                           \
    "\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":true,\"special\":true"

#define CHARSMAP(base64) "{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"" base64 "\"}"
#define CHARSMAP_PLACE   "normalizer.precompiled_charsmap: "

static const struct {
    tokenizer_file f;
    assay_status status;
    const char *place, *words;
} REFUSED[] = {
    {{.version = "\"1.0\\u0000\""},
     ASSAY_EFORMAT,
     "version: ",
     "found \"1.0\\u0000\", expected a string without"},
    {{.normalizer = "{\"type\":\"NFC\\u0000\"}"},
     ASSAY_EFORMAT,
     "normalizer.type: ",
     "found \"NFC\\u0000\", expected a string without U+0000"},
    {{.post =
          "{\"type\":\"TemplateProcessing\",\"single\":[{\"Sequence\":{\"id\":\"A\\u0000\",\"type_id\":0}}],"
          "\"special_tokens\":{}}"},
     ASSAY_EFORMAT,
     "post_processor.single[0].Sequence.id: ",
     "found \"A\\u0000\""},
    {{.decoder = "{\"type\":\"Strip\",\"content\":\" \",\"start\":-18446744073709551616,\"stop\":0}"},
     ASSAY_EFORMAT,
     "decoder.start: ",
     "found -18446744073709551616, expected 0 to"},
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
     "also matches an empty text"},
    {{.normalizer = "{\"type\":\"Replace\",\"pattern\":{\"String\":\"\"},\"content\":\"\"}"},
     ASSAY_EUNSUPPORTED,
     "normalizer.pattern.String: ",
     "found an empty text"},
    {{.normalizer = CHARSMAP("AAAA")}, ASSAY_EFORMAT, CHARSMAP_PLACE, "found 3 bytes with a double array"},
    {{.normalizer = CHARSMAP("?")}, ASSAY_EFORMAT, CHARSMAP_PLACE, "expected base64"},
    {{.normalizer = CHARSMAP("AA==AAAA")}, ASSAY_EFORMAT, CHARSMAP_PLACE, "expected base64"},
    {{.normalizer = CHARSMAP("BAAAAAAAAABhAB==")}, ASSAY_EFORMAT, CHARSMAP_PLACE, "expected base64"},
    {{.normalizer = CHARSMAP("BAAAAAAAAABhAA===")}, ASSAY_EFORMAT, CHARSMAP_PLACE, "expected base64"},
    {{.normalizer = CHARSMAP("BAAAAAAAAABh====")}, ASSAY_EFORMAT, CHARSMAP_PLACE, "expected base64"},
    {{.normalizer = CHARSMAP("BAAAAAAAAABhA")}, ASSAY_EFORMAT, CHARSMAP_PLACE, "expected base64"},
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
    {{.decoder = "{\"type\":\"Sequence\",\"decoders\":{}}"},
     ASSAY_EFORMAT,
     "decoder.decoders: ",
     "found an object"},
    {{.decoder = "{\"type\":\"Sequence\"}"}, ASSAY_EFORMAT, "decoder.decoders: ", "found nothing"},
    {{.decoder = "{\"type\":\"Metaspace\",\"replacement\":\"ab\"}"},
     ASSAY_EFORMAT,
     "decoder.replacement: ",
     "expected one character"},
    {{.decoder = "{\"type\":\"Metaspace\",\"replacement\":\"_\",\"prepend_scheme\":1}"},
     ASSAY_EFORMAT,
     "decoder.prepend_scheme: ",
     "found an integer"},
    {{.decoder = "{\"type\":\"Metaspace\",\"replacement\":\"_\",\"prepend_scheme\":\"last\"}"},
     ASSAY_EUNSUPPORTED,
     "decoder.prepend_scheme: ",
     "found \"last\", expected always, first or never"},
    {{.decoder = "{\"type\":\"Metaspace\",\"replacement\":\"_\",\"add_prefix_space\":1}"},
     ASSAY_EFORMAT,
     "decoder.add_prefix_space: ",
     "found an integer"},
    {{.decoder = "{\"type\":\"Metaspace\",\"replacement\":\"_\",\"add_prefix_space\":false}"},
     ASSAY_EFORMAT,
     "decoder.add_prefix_space: ",
     "expected a prepend_scheme \"never\""},
    {{.decoder = "{\"type\":\"CTC\",\"word_delimiter_token\":\"|\",\"cleanup\":true}"},
     ASSAY_EFORMAT,
     "decoder.pad_token: ",
     "found nothing"},
    {{.decoder = "{\"type\":\"CTC\",\"pad_token\":\"p\",\"cleanup\":true}"},
     ASSAY_EFORMAT,
     "decoder.word_delimiter_token: ",
     "found nothing"},
    {{.decoder = "{\"type\":\"CTC\",\"pad_token\":\"p\",\"word_delimiter_token\":\"|\"}"},
     ASSAY_EFORMAT,
     "decoder.cleanup: ",
     "found nothing"},
    {{.decoder = "{\"type\":\"CTC\",\"pad_token\":\"\",\"word_delimiter_token\":\"|\",\"cleanup\":true}"},
     ASSAY_EUNSUPPORTED,
     "decoder: ",
     "found an empty token"},
    {{.decoder = "{\"type\":\"CTC\",\"pad_token\":\"p\",\"word_delimiter_token\":\"\",\"cleanup\":true}"},
     ASSAY_EUNSUPPORTED,
     "decoder: ",
     "found an empty token"},
    {{.decoder = "{\"type\":\"BPEDecoder\",\"suffix\":\"\"}"},
     ASSAY_EUNSUPPORTED,
     "decoder: ",
     "found an empty suffix"},
    {{.decoder = "{\"type\":\"BPEDecoder\"}"}, ASSAY_EFORMAT, "decoder.suffix: ", "found nothing"},
    {{.decoder = "{\"type\":\"WordPiece\",\"cleanup\":true}"},
     ASSAY_EFORMAT,
     "decoder.prefix: ",
     "found nothing"},
    {{.decoder = "{\"type\":\"Replace\",\"pattern\":\"a\",\"content\":\"b\"}"},
     ASSAY_EFORMAT,
     "decoder.pattern: ",
     "found a string"},
    {{.decoder = "{\"type\":\"Replace\",\"pattern\":{\"String\":\"a\"}}"},
     ASSAY_EFORMAT,
     "decoder.content: ",
     "found nothing"},
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
    {{.added = "[" TOKEN("x", NORMALIZED) "]",
      .normalizer = "{\"type\":\"Replace\",\"pattern\":{\"String\":\"x\"},\"content\":\"\"}"},
     ASSAY_EUNSUPPORTED,
     "added_tokens[0]: ",
     "found a token of 0 bytes once normalised"},
    {{.added = "[" TOKEN("x", NORMALIZED) "," TOKEN("X", NORMALIZED) "]",
      .normalizer = "{\"type\":\"Lowercase\"}"},
     ASSAY_EUNSUPPORTED,
     "added_tokens: ",
     "expected them to differ where they are looked for"},
};

START_TEST(bad_members_are_refused_with_their_path)
{
    tokenizer *t = NULL;
    assay_error err = {0};
    ck_assert_int_eq(tokenizer_open(tokenizer_file_write(&REFUSED[_i].f), &t, &err), REFUSED[_i].status);
    ck_assert_ptr_null(t);
    support_expect_error(&err, REFUSED[_i].status, "tokenizer.json: ", REFUSED[_i].place, REFUSED[_i].words,
                         NULL);
}
END_TEST

/* As tokenizers 0.23.3 reads them. */
static const char *const CHARSMAPS[] = {CHARSMAP("BAAAAAAAAABhAA=="), CHARSMAP("BAAAAAAAAABhAA="),
                                        CHARSMAP("BAAAAAAAAABhAA"), CHARSMAP("BAAAAAAAAABhAGI"),
                                        CHARSMAP("BAAAAAAAAABh")};

START_TEST(the_padding_of_base64_may_be_missing)
{
    tokenizer_free(tokenizer_file_open(&(tokenizer_file){.normalizer = CHARSMAPS[_i]}));
}
END_TEST

START_TEST(a_missing_file_is_an_io_error)
{
    tokenizer *t = NULL;
    assay_error err = {0};
    ck_assert_int_eq(tokenizer_open(support_mkdir(support_tmpdir(), "empty"), &t, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, "tokenizer.json", NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tokenizer/tokenizer_refused");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, bad_members_are_refused_with_their_path, 0,
                        (int)(sizeof REFUSED / sizeof *REFUSED));
    tcase_add_loop_test(all, the_padding_of_base64_may_be_missing, 0,
                        (int)(sizeof CHARSMAPS / sizeof *CHARSMAPS));
    tcase_add_test(all, a_missing_file_is_an_io_error);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
