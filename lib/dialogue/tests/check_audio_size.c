/* Tests of dialogue/audio_size: the options of the ABI. Frames and tokens are those of recorded cases.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/audio_size.h"

#include <stddef.h>

#include "base/tests/support.h"

static const char config[] = "{\"feature_extractor_type\":\"WhisperFeatureExtractor\"}";

static assay_sound_options valid(void)
{
    return (assay_sound_options){
        .size = sizeof(assay_sound_options), .config = {config, sizeof config - 1}, .n_samples = 17281};
}

static void expect_size(const assay_sound_options *o, int64_t n_frames, int64_t n_tokens)
{
    assay_sound_size s;
    assay_error err = {0};
    ck_assert_msg(serve_audio_size(o, &s, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(s.n_frames, n_frames);
    ck_assert_int_eq(s.n_tokens, n_tokens);
}

START_TEST(an_audio_clip_has_the_frames_and_tokens_of_its_prompt)
{
    assay_sound_options o = valid();
    expect_size(&o, 108, 14);
    o.n_longest = 20000;
    expect_size(&o, 109, 15);
    o.n_window = 4;
    expect_size(&o, 109, 14);
    o.size = offsetof(assay_sound_options, n_longest);
    expect_size(&o, 108, 14);
}
END_TEST

static void refused(const assay_sound_options *o, assay_status status, const char *words)
{
    assay_sound_size s = {.n_frames = -7};
    assay_error err = {0};
    ck_assert_int_eq(serve_audio_size(o, &s, &err), status);
    ck_assert_int_eq(s.n_frames, -7);
    support_expect_error(&err, status, words, NULL);
}

START_TEST(invalid_options_are_refused_by_name)
{
    assay_sound_options o = valid();
    refused(NULL, ASSAY_EINVAL, "config is required");
    o.n_samples = 0;
    refused(&o, ASSAY_EINVAL, "n_samples is required");
    o.n_samples = 200;
    refused(&o, ASSAY_EUNSUPPORTED, "found 200 samples, expected at least 201");
    o.n_samples = (int64_t)1 << 40;
    refused(&o, ASSAY_EINVAL, "n_samples: found 1099511627776, expected 1 to 33554432");
    o = valid();
    o.n_longest = 17280;
    refused(&o, ASSAY_EINVAL, "n_longest: found 17280, expected 17281 to");
    o = valid();
    o.n_window = -1;
    refused(&o, ASSAY_EINVAL, "n_window: found -1, expected 1 to 65536");
    o = valid();
    o.reserved = 1;
    refused(&o, ASSAY_EUNSUPPORTED, "reserved is not 0");
    o = valid();
    o.config.n = 1;
    refused(&o, ASSAY_EFORMAT, "preprocessor_config.json");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/audio_size");
    TCase *all = tcase_create("all");
    tcase_add_test(all, an_audio_clip_has_the_frames_and_tokens_of_its_prompt);
    tcase_add_test(all, invalid_options_are_refused_by_name);
    suite_add_tcase(s, all);
    return support_run(s);
}
