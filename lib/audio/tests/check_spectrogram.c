/* Tests of audio/spectrogram against recorded spectrograms. A spectrogram passes within four times the noise,
 * the error of the published float32 (ARCHITECTURE.md); defects that are planted exceed ten times that.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "audio/spectrogram.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audio/config.h"
#include "audio/tests/direct.h"
#include "base/tests/recorded.h"
#include "base/tests/support.h"

#define VECTORS "lib/audio/tests/vectors/spectrograms.bin"
enum { N_VECTORS = 7 };

/* A record, with aligned copies of its arrays. */
typedef struct vector {
    audio_config config;
    audio_samples audio;
    size_t n_longest, n_mels, n_frames, n_tokens;
    double bound;
    double *truth; /* [n_mels, n_frames] */
} vector;

static void *copy(const uint8_t **at, size_t n)
{
    void *out = malloc(n);
    ck_assert_ptr_nonnull(out);
    memcpy(out, *at, n);
    *at += n;
    return out;
}

/* numbers: bytes of the config, samples, samples of the longest audio clip, bins, frames, tokens. */
static vector open_vector(const recorded *r)
{
    const long *n = r->numbers;
    const uint8_t *at = r->bytes + n[0];
    assay_error err = {0};
    vector v = {.n_longest = (size_t)n[2],
                .n_mels = (size_t)n[3],
                .n_frames = (size_t)n[4],
                .n_tokens = (size_t)n[5]};
    ck_assert_msg(audio_config_parse("p", (const char *)r->bytes, (size_t)n[0], &v.config, &err) == ASSAY_OK,
                  "%s", err.text);
    v.audio = (audio_samples){copy(&at, (size_t)n[1] * sizeof(float)), (size_t)n[1]};
    double *noise = copy(&at, sizeof *noise);
    v.bound = 4 * *noise;
    free(noise);
    v.truth = copy(&at, v.n_mels * v.n_frames * sizeof *v.truth);
    ck_assert_ptr_eq(at, r->bytes + r->n_bytes);
    return v;
}

static void close_vector(vector *v)
{
    audio_config_free(&v->config);
    audio_samples_free(&v->audio);
    free(v->truth);
}

static void check_spectrogram(const recorded *r)
{
    vector v = open_vector(r);
    audio_spectrogram s;
    assay_error err = {0};
    ck_assert_msg(audio_spectrogram_make(&v.config, &v.audio, v.n_longest, &s, &err) == ASSAY_OK, "%s",
                  err.text);
    ck_assert_uint_eq(s.n_mels, v.n_mels);
    ck_assert_uint_eq(s.n_frames, v.n_frames);
    ck_assert_double_gt(v.bound, 0);
    for (size_t i = 0; i < s.n_mels * s.n_frames; i++)
        if (!(fabs((double)s.values[i] - v.truth[i]) <= v.bound))
            ck_abort_msg("mel %zu, frame %zu: expected %.9g within %g, found %.9g", i / s.n_frames,
                         i % s.n_frames, v.truth[i], v.bound, (double)s.values[i]);
    audio_spectrogram_free(&s);
    close_vector(&v);
}

START_TEST(spectrograms_are_those_of_the_published_extractor)
{
    ck_assert_uint_eq(recorded_each(VECTORS, check_spectrogram), N_VECTORS);
}
END_TEST

/* The largest error of each defect, in bounds. */
static double worst[DIRECT_N_DEFECTS];

static void check_defects(const recorded *r)
{
    vector v = open_vector(r);
    double *found = calloc(v.n_mels * v.n_frames, sizeof *found);
    ck_assert_ptr_nonnull(found);
    for (int d = 0; d < DIRECT_N_DEFECTS; d++) {
        direct_spectrogram(&v.config, &v.audio, v.n_longest, v.n_frames, (direct_defect)d, found);
        for (size_t i = 0; i < v.n_mels * v.n_frames; i++)
            worst[d] = fmax(worst[d], fabs(found[i] - v.truth[i]) / v.bound);
    }
    free(found);
    close_vector(&v);
}

START_TEST(planted_defects_exceed_ten_bounds)
{
    (void)recorded_each(VECTORS, check_defects);
    ck_assert_double_le(worst[DIRECT_NO_DEFECT], 1);
    for (int d = 1; d < DIRECT_N_DEFECTS; d++)
        ck_assert_msg(worst[d] >= 10, "%s: %g bounds, expected at least 10", direct_names[d], worst[d]);
}
END_TEST

START_TEST(the_last_frame_is_dropped_and_the_longest_audio_clip_rounds_down)
{
    const audio_config c = {.hop_length = 160};
    ck_assert_int_eq(audio_frames(&c, 320, 320), 2);
    ck_assert_int_eq(audio_frames(&c, 479, 479), 2);
    ck_assert_int_eq(audio_frames(&c, 321, 800), 3);
    ck_assert_int_eq(audio_frames(&c, 320, 800), 2);
    ck_assert_int_eq(audio_frames(&c, 799, 800), 5);
    ck_assert_int_eq(audio_frames(&c, 641, 799), 4);
}
END_TEST

/* numbers: samples, samples of the longest audio clip, frames, tokens. */
static void check_length(const recorded *r)
{
    const audio_config c = {.hop_length = 160};
    ck_assert_int_eq(audio_frames(&c, r->numbers[0], r->numbers[1]), r->numbers[2]);
}

START_TEST(frames_are_those_of_the_published_attention_mask)
{
    ck_assert_uint_eq(recorded_each("lib/audio/tests/vectors/lengths.bin", check_length), 300);
}
END_TEST

START_TEST(silence_is_the_least_power)
{
    float zeros[500] = {0};
    const audio_samples silence = {zeros, 500};
    audio_config c;
    audio_spectrogram s;
    static const char text[] = "{\"feature_extractor_type\":\"WhisperFeatureExtractor\"}";
    ck_assert_int_eq(audio_config_parse("p", text, sizeof text - 1, &c, NULL), ASSAY_OK);
    ck_assert_int_eq(audio_spectrogram_make(&c, &silence, 500, &s, NULL), ASSAY_OK);
    ck_assert_uint_eq(s.n_frames, 3);
    for (size_t i = 0; i < s.n_mels * s.n_frames; i++) ck_assert(s.values[i] == -1.5F);
    audio_spectrogram_free(&s);
    audio_config_free(&c);
}
END_TEST

START_TEST(an_audio_clip_that_is_too_short_to_reflect_is_refused)
{
    float few[200] = {0};
    const audio_samples audio = {few, 200};
    const audio_config c = {.feature_size = 1, .hop_length = 160, .n_fft = 400, .sampling_rate = 16000};
    audio_spectrogram s = {.n_frames = 77};
    assay_error err = {0};
    ck_assert_int_eq(audio_spectrogram_make(&c, &audio, 200, &s, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "found 200 samples", "expected at least 201", NULL);
    ck_assert_uint_eq(s.n_frames, 77);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("audio/spectrogram");
    TCase *c = tcase_create("spectrogram");
    tcase_add_test(c, spectrograms_are_those_of_the_published_extractor);
    tcase_add_test(c, planted_defects_exceed_ten_bounds);
    tcase_add_test(c, the_last_frame_is_dropped_and_the_longest_audio_clip_rounds_down);
    tcase_add_test(c, frames_are_those_of_the_published_attention_mask);
    tcase_add_test(c, silence_is_the_least_power);
    tcase_add_test(c, an_audio_clip_that_is_too_short_to_reflect_is_refused);
    suite_add_tcase(s, c);
    return support_run(s);
}
