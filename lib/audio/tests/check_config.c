/* Tests of audio/config and sound/config_file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "audio/config.h"

#include <string.h>

#include "audio/config_file.h"
#include "base/tests/support.h"

#define TYPE "\"feature_extractor_type\":\"WhisperFeatureExtractor\""

static audio_config parsed(const char *text)
{
    audio_config c;
    assay_error err = {0};
    ck_assert_msg(audio_config_parse("p.json", text, strlen(text), &c, &err) == ASSAY_OK, "%s", err.text);
    return c;
}

static void refused(const char *text, assay_status status, const char *a, const char *b)
{
    audio_config c = {.n_fft = 77};
    assay_error err = {0};
    ck_assert_int_eq(audio_config_parse("p.json", text, strlen(text), &c, &err), status);
    ck_assert_int_eq(c.n_fft, 77);
    support_expect_error(&err, status, "p.json", a, b, NULL);
}

START_TEST(members_have_the_defaults_of_the_published_class)
{
    audio_config c = parsed("{" TYPE "}");
    ck_assert_str_eq(c.type, "WhisperFeatureExtractor");
    ck_assert_int_eq(c.sampling_rate, 16000);
    ck_assert_int_eq(c.feature_size, 80);
    ck_assert_int_eq(c.hop_length, 160);
    ck_assert_int_eq(c.n_fft, 400);
    ck_assert_uint_eq(c.n_notes, 0);
    audio_config_free(&c);
}
END_TEST

START_TEST(members_are_read_and_those_without_effect_are_noted)
{
    audio_config c =
        parsed("{" TYPE ",\"feature_size\":128,\"hop_length\":100,\"n_fft\":512,\"sampling_rate\":8000,"
               "\"dither\":0.0,\"padding_value\":0,\"padding_side\":\"right\",\"chunk_length\":300,"
               "\"image_std\":[1,1,1],\"none\":null}");
    ck_assert_int_eq(c.sampling_rate, 8000);
    ck_assert_int_eq(c.feature_size, 128);
    ck_assert_int_eq(c.hop_length, 100);
    ck_assert_int_eq(c.n_fft, 512);
    ck_assert_uint_eq(c.n_notes, 2);
    ck_assert_str_eq(c.notes[0], "member chunk_length (300) has no effect on audio clips");
    ck_assert_str_eq(c.notes[1], "member image_std ([1,1,1]) has no effect on audio clips");
    audio_config_free(&c);
}
END_TEST

START_TEST(members_that_are_not_implemented_are_refused_by_name)
{
    refused("{" TYPE ",\"dither\":0.0001}", ASSAY_EUNSUPPORTED, "member dither: found 0.0001", "expected 0");
    refused("{" TYPE ",\"padding_value\":1}", ASSAY_EUNSUPPORTED, "member padding_value: found 1",
            "expected 0");
    refused("{" TYPE ",\"padding_value\":\"\"}", ASSAY_EFORMAT, "member padding_value", "expected a number");
    refused("{" TYPE ",\"padding_side\":\"left\"}", ASSAY_EUNSUPPORTED, "member padding_side: found \"left\"",
            "expected \"right\"");
    refused("{\"feature_extractor_type\":\"ClapFeatureExtractor\"}", ASSAY_EUNSUPPORTED,
            "ClapFeatureExtractor", "expected \"WhisperFeatureExtractor\"");
    refused("{\"n_fft\":400}", ASSAY_EUNSUPPORTED, "no member feature_extractor_type",
            "WhisperFeatureExtractor");
    refused("[]", ASSAY_EFORMAT, "expected a JSON object", "p.json");
}
END_TEST

START_TEST(numbers_outside_their_range_are_refused)
{
    refused("{" TYPE ",\"n_fft\":401}", ASSAY_EUNSUPPORTED, "member n_fft: found 401",
            "product of 2, 3 and 5");
    refused("{" TYPE ",\"n_fft\":14}", ASSAY_EUNSUPPORTED, "member n_fft: found 14", "product of 2, 3 and 5");
    refused("{" TYPE ",\"n_fft\":8192}", ASSAY_EUNSUPPORTED, "member n_fft: found 8192", "from 2 to 4096");
    refused("{" TYPE ",\"hop_length\":0}", ASSAY_EUNSUPPORTED, "member hop_length: found 0", "from 1");
    refused("{" TYPE ",\"feature_size\":null}", ASSAY_EFORMAT, "member feature_size: found null",
            "whole number");
    refused("{" TYPE ",\"sampling_rate\":16000.5}", ASSAY_EFORMAT, "found 16000.5", "whole number");
}
END_TEST

static void put(const char *dir, const char *file, const char *text)
{
    (void)support_write(dir, file, text, strlen(text));
}

static void expect_size(const char *dir, int64_t feature_size)
{
    audio_config c;
    assay_error err = {0};
    ck_assert_msg(audio_config_open(dir, &c, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(c.feature_size, feature_size);
    audio_config_free(&c);
}

START_TEST(the_nested_config_precedes_the_file)
{
    const char *dir = support_mkdir(support_tmpdir(), "nested");
    audio_config c;
    assay_error err = {0};
    ck_assert_int_eq(audio_config_open(dir, &c, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, dir, "found no preprocessor_config.json", NULL);
    put(dir, "preprocessor_config.json", "{" TYPE ",\"feature_size\":3}");
    expect_size(dir, 3);
    put(dir, "processor_config.json", "{\"feature_extractor\":null}");
    expect_size(dir, 3);
    put(dir, "processor_config.json", "{\"audio_processor\":{" TYPE ",\"feature_size\":4}}");
    expect_size(dir, 4);
    put(dir, "processor_config.json",
        "{\"audio_processor\":{" TYPE ",\"feature_size\":4},\"feature_extractor\":{" TYPE
        ",\"feature_size\":5}}");
    expect_size(dir, 5);
    put(dir, "processor_config.json", "{\"feature_extractor\":[]}");
    ck_assert_int_eq(audio_config_open(dir, &c, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, dir, "processor_config.json: feature_extractor", NULL);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("audio/config");
    TCase *c = tcase_create("config");
    tcase_add_test(c, members_have_the_defaults_of_the_published_class);
    tcase_add_test(c, members_are_read_and_those_without_effect_are_noted);
    tcase_add_test(c, members_that_are_not_implemented_are_refused_by_name);
    tcase_add_test(c, numbers_outside_their_range_are_refused);
    tcase_add_test(c, the_nested_config_precedes_the_file);
    suite_add_tcase(s, c);
    return support_run(s);
}
