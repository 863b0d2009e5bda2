/* Tests of dialogue/chat/audio: what a checkpoint says, and the items of audio clips.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/chat/audio.h"

#include <string.h>

#include "base/tests/recorded.h"
#include "base/tests/support.h"
#include "model/plan/audio.h"

#define EXTRACTOR "{\"feature_extractor_type\":\"WhisperFeatureExtractor\",\"feature_size\":7}"

static const char *checkpoint(const char *name, const char *config)
{
    const char *dir = support_mkdir(support_tmpdir(), name);
    (void)support_write(dir, "config.json", config, strlen(config));
    (void)support_write(dir, "preprocessor_config.json", EXTRACTOR, sizeof EXTRACTOR - 1);
    return dir;
}

static void expect_chunk(const char *config, size_t chunk)
{
    serve_audio_processor p;
    assay_error err = {0};
    ck_assert_msg(serve_audio_processor_open(checkpoint("chunk", config), &p, &err) == ASSAY_OK, "%s",
                  err.text);
    ck_assert_uint_eq(p.chunk, chunk);
    ck_assert_int_eq(p.config.feature_size, 7);
    serve_audio_processor_free(&p);
}

START_TEST(the_size_of_chunks_is_that_of_the_tower)
{
    expect_chunk("{\"audio_config\":{\"n_window\":13}}", 26);
    expect_chunk("{\"audio_config\":{}}", 100);
    expect_chunk("{\"thinker_config\":{\"audio_config\":{\"n_window\":51}}}", 102);
}
END_TEST

static void refused(const char *config, assay_status status, const char *a, const char *b)
{
    const char *dir = checkpoint("refused", config);
    serve_audio_processor p = {.chunk = 77};
    assay_error err = {0};
    ck_assert_int_eq(serve_audio_processor_open(dir, &p, &err), status);
    ck_assert_uint_eq(p.chunk, 77);
    support_expect_error(&err, status, dir, a, b, NULL);
}

START_TEST(a_checkpoint_without_a_tower_of_audio_clips_is_refused)
{
    refused("{\"vision_config\":{}}", ASSAY_EUNSUPPORTED, "found no audio_config", "takes no audio clips");
    refused("{\"audio_config\":{\"n_window\":0}}", ASSAY_EFORMAT, "member n_window: found 0",
            "from 1 to 65536");
    refused("{\"audio_config\":{\"n_window\":\"50\"}}", ASSAY_EFORMAT, "n_window: found \"50\"",
            "whole number");
}
END_TEST

/* numbers: samples, samples of the longest audio clip, frames, tokens. */
static void check_length(const recorded *r)
{
    const plan_audio front = {.chunk = 100};
    ck_assert_uint_eq(plan_audio_rows(&front, (size_t)r->numbers[2]), (size_t)r->numbers[3]);
}

START_TEST(tokens_are_those_that_the_published_processor_counts)
{
    ck_assert_uint_eq(recorded_each("lib/audio/tests/vectors/lengths.bin", check_length), 300);
}
END_TEST

static void put(uint8_t *at, uint32_t value, size_t n)
{
    for (size_t i = 0; i < n; i++) at[i] = (uint8_t)(value >> 8 * i);
}

/* A WAV file of n samples of 8 bits at this rate. bytes: [44 + n]. */
static serve_media_file make_wav(const char *name, uint8_t *bytes, size_t n, uint32_t rate)
{
    memcpy(bytes, "RIFF....WAVEfmt \x10\0\0\0\1\0\1\0............data....", 44);
    put(bytes + 4, (uint32_t)(36 + n), 4);
    put(bytes + 24, rate, 4);
    put(bytes + 28, rate, 4);
    put(bytes + 32, 1, 2);
    put(bytes + 34, 8, 2);
    memcpy(bytes + 36, "data", 4);
    put(bytes + 40, (uint32_t)n, 4);
    for (size_t i = 0; i < n; i++) bytes[44 + i] = (uint8_t)(i * i * 37 % 251);
    return (serve_media_file){name, bytes, 44 + n};
}

static void expect_item(const serve_audio *s, size_t i, size_t n_samples, size_t n_frames, size_t n_tokens)
{
    const assay_item *item = &s->items[i];
    ck_assert_int_eq(item->kind, ASSAY_ITEM_AUDIO);
    ck_assert_uint_eq(item->n_tensors, 2);
    ck_assert_str_eq(item->tensors[0].name, "input_features");
    ck_assert_uint_eq(item->tensors[0].rank, 3);
    ck_assert_uint_eq(item->tensors[0].shape[1], 7);
    ck_assert_uint_eq(item->tensors[0].shape[2], n_frames);
    ck_assert_str_eq(item->tensors[1].name, "feature_attention_mask");
    ck_assert_uint_eq(item->tensors[1].shape[1], n_frames);
    ck_assert_uint_eq(s->n_samples[i], n_samples);
    ck_assert_uint_eq(s->n_frames[i], n_frames);
    ck_assert_uint_eq(s->n_tokens[i], n_tokens);
}

static const serve_media_limits limits = {.file = 4096, .arrays = SIZE_MAX};

START_TEST(an_audio_clip_depends_on_the_longest_one_of_its_prompt)
{
    static uint8_t first[44 + 1300], second[44 + 1700];
    const serve_media_file files[] = {make_wav("first", first, 1300, 16000),
                                      make_wav("second", second, 1700, 16000)};
    serve_audio_processor p;
    serve_audio *s;
    assay_error err = {0};
    ck_assert_int_eq(serve_audio_processor_open(checkpoint("pair", "{\"audio_config\":{}}"), &p, &err),
                     ASSAY_OK);
    ck_assert_int_eq(serve_audio_open(&p, files, 1, &limits, &s, &err), ASSAY_OK);
    expect_item(s, 0, 1300, 8, 1);
    serve_audio_free(s);
    ck_assert_int_eq(serve_audio_open(&p, files, 2, &limits, &s, &err), ASSAY_OK);
    expect_item(s, 0, 1300, 9, 2);
    expect_item(s, 1, 1700, 10, 2);
    const size_t n = serve_audio_bytes(s);
    ck_assert_uint_eq(n, (9 + 10) * (7 * sizeof(float) + sizeof(int32_t)));
    serve_audio_free(s);
    const serve_media_limits fewer = {.file = 4096, .arrays = n - 1};
    ck_assert_int_eq(serve_audio_open(&p, files, 2, &fewer, &s, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "second: found an audio clip with which all take 608 bytes",
                         "at most 607", NULL);
    serve_audio_processor_free(&p);
}
END_TEST

START_TEST(an_audio_clip_that_cannot_be_read_is_named)
{
    static uint8_t bytes[44 + 100];
    serve_media_file file = make_wav("short", bytes, 100, 16000);
    serve_audio_processor p;
    serve_audio *s = NULL;
    assay_error err = {0};
    ck_assert_int_eq(serve_audio_processor_open(checkpoint("bad", "{\"audio_config\":{}}"), &p, &err),
                     ASSAY_OK);
    ck_assert_int_eq(serve_audio_open(&p, &file, 1, &limits, &s, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "short: found 100 samples", "expected at least 201", NULL);
    file = make_wav("fast", bytes, 100, 8000);
    ck_assert_int_eq(serve_audio_open(&p, &file, 1, &limits, &s, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "fast: found a sampling rate of 8000", "16000", NULL);
    file = (serve_media_file){"/nowhere/at-all.wav", NULL, 0};
    ck_assert_int_eq(serve_audio_open(&p, &file, 1, &limits, &s, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, "/nowhere/at-all.wav", NULL);
    ck_assert_ptr_null(s);
    serve_audio_processor_free(&p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/chat/audio");
    TCase *all = tcase_create("all");
    tcase_add_test(all, the_size_of_chunks_is_that_of_the_tower);
    tcase_add_test(all, a_checkpoint_without_a_tower_of_audio_clips_is_refused);
    tcase_add_test(all, tokens_are_those_that_the_published_processor_counts);
    tcase_add_test(all, an_audio_clip_depends_on_the_longest_one_of_its_prompt);
    tcase_add_test(all, an_audio_clip_that_cannot_be_read_is_named);
    suite_add_tcase(s, all);
    return support_run(s);
}
