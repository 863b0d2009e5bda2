/* Out-of-memory: each allocation of audio/ fails in turn. A failure must be reported, leave the out-parameter
 * untouched, and lose no memory (sanitizers).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "audio/config.h"
#include "audio/samples.h"
#include "audio/spectrogram.h"
#include "base/tests/deny.h"
#include "base/tests/support.h"

#define ALLOCATIONS_MAX 1000

static const char text[] =
    "{\"feature_extractor_type\":\"WhisperFeatureExtractor\",\"feature_size\":3,\"speed\":1,\"n_fft\":10}";

START_TEST(a_config_that_runs_out_of_memory_is_refused)
{
    for (long i = 0; i < ALLOCATIONS_MAX; i++) {
        audio_config config = {.n_notes = 77};
        assay_error err = {0};
        deny(i);
        const assay_status rc = audio_config_parse("p", text, sizeof text - 1, &config, &err);
        const bool denied = deny_end();
        if (rc != ASSAY_OK) {
            ck_assert_uint_eq(config.n_notes, 77);
            support_expect_error(&err, ASSAY_ENOMEM, "out of memory", NULL);
            continue;
        }
        audio_config_free(&config);
        if (!denied) return;
    }
    ck_abort_msg("allocations never end");
}
END_TEST

START_TEST(a_spectrogram_that_runs_out_of_memory_is_refused)
{
    float values[200] = {0};
    const audio_samples audio = {values, 200};
    audio_config config;
    ck_assert_int_eq(audio_config_parse("p", text, sizeof text - 1, &config, NULL), ASSAY_OK);
    for (long i = 0; i < ALLOCATIONS_MAX; i++) {
        audio_spectrogram out = {.n_frames = 77};
        assay_error err = {0};
        deny(i);
        const assay_status rc = audio_spectrogram_make(&config, &audio, 200, &out, &err);
        if (!deny_end()) {
            ck_assert_int_eq(rc, ASSAY_OK);
            ck_assert_int_gt(i, 6);
            audio_spectrogram_free(&out);
            audio_config_free(&config);
            return;
        }
        ck_assert_int_eq(rc, ASSAY_ENOMEM);
        ck_assert_uint_eq(out.n_frames, 77);
        support_expect_error(&err, ASSAY_ENOMEM, "out of memory", NULL);
    }
    ck_abort_msg("allocations never end");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("audio/memory");
    TCase *c = tcase_create("memory");
    tcase_add_test(c, a_config_that_runs_out_of_memory_is_refused);
    tcase_add_test(c, a_spectrogram_that_runs_out_of_memory_is_refused);
    suite_add_tcase(s, c);
    return support_run(s);
}
