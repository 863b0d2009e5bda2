/* Tests of audio/samples against recorded samples of soundfile, and of what it refuses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "audio/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/recorded.h"
#include "base/tests/support.h"

enum { RATE = 16000 };

/* libsndfile 1.2.0 loses 6 KB of libvorbis for each Ogg file whose Vorbis headers are damaged. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:vorbis_info_init\n";
}

/* The decoder of Vorbis differs between versions of its library in the last bits. */
#define VERSION_DISTANCE 0x1p-23F

static size_t n_different;

static bool differs(const recorded *r, const audio_samples *found)
{
    const size_t n = (size_t)r->numbers[1];
    const uint8_t *expected = r->bytes + r->numbers[0];
    if (found->n != n) return true;
    if (!r->numbers[2]) return memcmp(found->values, expected, n * sizeof *found->values) != 0;
    for (size_t i = 0; i < n; i++) {
        float value;
        memcpy(&value, expected + i * sizeof value, sizeof value);
        if (!(fabsf(value - found->values[i]) <= VERSION_DISTANCE)) return true;
    }
    return false;
}

/* numbers: bytes of the file; samples, 0 if it is refused; whether their last bits depend on a version. */
static void check_file(const recorded *r)
{
    audio_samples out = {NULL, 0};
    assay_error err = {0};
    const assay_status rc = audio_samples_read("f", r->bytes, (size_t)r->numbers[0], RATE, &out, &err);
    if ((rc == ASSAY_OK) != (r->numbers[1] > 0) || (rc == ASSAY_OK && differs(r, &out))) {
        n_different++;
        printf("%s: expected %ld samples, found %zu%s %s\n", r->name, r->numbers[1], out.n,
               rc == ASSAY_OK ? ", or others" : "", err.text);
    }
    if (rc == ASSAY_OK) audio_samples_free(&out);
}

START_TEST(files_are_read_or_refused_as_by_load_audio)
{
    n_different = 0;
    const size_t n = recorded_each("lib/audio/tests/vectors/decoded.bin", check_file);
    (void)fflush(stdout);
    ck_assert_uint_ge(n, 150);
    ck_assert_msg(n_different == 0, "%zu of %zu audio clips differ", n_different, n);
}
END_TEST

/* The exact size of the data, so that reading beyond it is found by sanitizers. */
static assay_status read_part(const uint8_t *data, size_t n, audio_samples *out, assay_error *err)
{
    uint8_t *copy = malloc(n ? n : 1);
    ck_assert_ptr_nonnull(copy);
    if (n) memcpy(copy, data, n);
    const assay_status rc = audio_samples_read("f", copy, n, RATE, out, err);
    free(copy);
    return rc;
}

static void check_damaged(const recorded *r)
{
    const size_t n = (size_t)r->numbers[0];
    for (size_t i = 0; i < n; i++) {
        audio_samples out = {NULL, 77};
        assay_error err = {0};
        assay_status rc = read_part(r->bytes, i, &out, &err);
        if (rc == ASSAY_OK) audio_samples_free(&out);
        else if (out.n != 77 || err.status != rc || !err.text[0]) ck_abort_msg("a refusal is incomplete");
        const uint8_t kept = r->bytes[i];
        r->bytes[i] = (uint8_t)(kept ^ (1 << i % 8));
        rc = read_part(r->bytes, n, &out, &err);
        if (rc == ASSAY_OK) audio_samples_free(&out);
        r->bytes[i] = kept;
    }
}

START_TEST(truncated_and_damaged_files_are_refused_or_read_within_their_bytes)
{
    (void)recorded_each("lib/audio/tests/vectors/decoded.bin", check_damaged);
}
END_TEST

/* A WAV file. */
typedef struct wav {
    uint8_t bytes[1024];
    size_t n;
} wav;

static void put(wav *w, uint32_t value, size_t n)
{
    for (size_t i = 0; i < n; i++) w->bytes[w->n++] = (uint8_t)(value >> 8 * i);
}

static void put_text(wav *w, const char *text)
{
    for (; *text; text++) w->bytes[w->n++] = (uint8_t)*text;
}

/* format: 1, PCM, or 3, IEEE float. Samples are added with `put`, n_data bytes of them. */
static wav begin_wav(uint32_t format, uint32_t channels, uint32_t rate, uint32_t bits, uint32_t n_data)
{
    wav w = {.n = 0};
    put_text(&w, "RIFF");
    put(&w, 36 + n_data, 4);
    put_text(&w, "WAVEfmt ");
    put(&w, 16, 4);
    put(&w, format, 2);
    put(&w, channels, 2);
    put(&w, rate, 4);
    put(&w, rate * channels * bits / 8, 4);
    put(&w, channels * bits / 8, 2);
    put(&w, bits, 2);
    put_text(&w, "data");
    put(&w, n_data, 4);
    return w;
}

static void expect_refusal(const wav *w, assay_status status, const char *a, const char *b)
{
    audio_samples out = {NULL, 77};
    assay_error err = {0};
    ck_assert_int_eq(read_part(w->bytes, w->n, &out, &err), status);
    ck_assert_uint_eq(out.n, 77);
    support_expect_error(&err, status, "f: ", a, b, NULL);
}

START_TEST(two_channels_are_averaged)
{
    wav w = begin_wav(1, 2, RATE, 16, 8);
    audio_samples out;
    put(&w, 0x4000, 2);
    put(&w, 0x2000, 2);
    put(&w, 0x8000, 2);
    put(&w, 0, 2);
    ck_assert_int_eq(read_part(w.bytes, w.n, &out, NULL), ASSAY_OK);
    ck_assert_uint_eq(out.n, 2);
    ck_assert(out.values[0] == 0.375F && out.values[1] == -0.5F);
    audio_samples_free(&out);
}
END_TEST

START_TEST(another_rate_is_refused_with_the_expected_one)
{
    wav w = begin_wav(1, 1, 44100, 16, 2);
    put(&w, 0, 2);
    expect_refusal(&w, ASSAY_EUNSUPPORTED, "found a sampling rate of 44100 Hz", "expected 16000");
}
END_TEST

START_TEST(samples_that_are_not_finite_are_refused)
{
    wav w = begin_wav(3, 1, RATE, 32, 8);
    put(&w, 0, 4);
    put(&w, 0x7f800000, 4);
    expect_refusal(&w, ASSAY_EFORMAT, "sample 1: found inf", "expected a finite number");
}
END_TEST

START_TEST(a_file_without_samples_is_refused)
{
    const wav w = begin_wav(1, 1, RATE, 16, 0);
    expect_refusal(&w, ASSAY_EFORMAT, "found no samples", "f");
}
END_TEST

START_TEST(other_formats_are_refused)
{
    wav w = {.n = 0};
    put_text(&w, "a text that is no audio clip");
    expect_refusal(&w, ASSAY_EFORMAT, "expected an audio file", "WAV, FLAC, Ogg, MP3");
    w = (wav){.n = 0};
    put_text(&w, "\xf0\x7e and more");
    expect_refusal(&w, ASSAY_EUNSUPPORTED, "a MIDI sample dump", "not supported");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("audio/samples");
    TCase *c = tcase_create("samples");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, files_are_read_or_refused_as_by_load_audio);
    tcase_add_test(c, truncated_and_damaged_files_are_refused_or_read_within_their_bytes);
    tcase_add_test(c, two_channels_are_averaged);
    tcase_add_test(c, another_rate_is_refused_with_the_expected_one);
    tcase_add_test(c, samples_that_are_not_finite_are_refused);
    tcase_add_test(c, a_file_without_samples_is_refused);
    tcase_add_test(c, other_formats_are_refused);
    suite_add_tcase(s, c);
    return support_run(s);
}
