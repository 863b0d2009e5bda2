/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/chat/audio.h"

#include <stdlib.h>

#include "audio/config_file.h"
#include "audio/spectrogram.h"
#include "base/error.h"
#include "dialogue/chat/files.h"
#include "model/plan/audio.h"

enum { WINDOW_USUAL = 50, WINDOW_MAX = 65536 }; /* n_window: the published default, and a limit */

static assay_status read_window(const char *dir, json_object *config, size_t *chunk, assay_error *err)
{
    json_object *audio = serve_chat_member(config, "audio_config");
    if (!audio) audio = serve_chat_member(serve_chat_member(config, "thinker_config"), "audio_config");
    if (!audio)
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "%s/config.json: found no audio_config: the model takes no audio clips", dir);
    json_object *window = serve_chat_member(audio, "n_window");
    const int64_t n = json_object_is_type(window, json_type_int) ? json_object_get_int64(window) : 0;
    if (window && (n < 1 || n > WINDOW_MAX))
        return assay_fail(
            err, ASSAY_EFORMAT,
            "%s/config.json: member n_window: found %.80s, expected a whole number from 1 to %d", dir,
            json_object_to_json_string_ext(window, JSON_C_TO_STRING_PLAIN), WINDOW_MAX);
    *chunk = 2 * (window ? (size_t)n : WINDOW_USUAL);
    return ASSAY_OK;
}

assay_status serve_audio_processor_open(const char *dir, serve_audio_processor *out, assay_error *err)
{
    json_object *config = NULL;
    serve_audio_processor made = {.chunk = 0};
    assay_status rc = serve_chat_read_object(dir, "config.json", &config, err);
    if (rc == ASSAY_OK) rc = read_window(dir, config, &made.chunk, err);
    (void)json_object_put(config);
    if (rc == ASSAY_OK) rc = audio_config_open(dir, &made.config, err);
    if (rc == ASSAY_OK) *out = made;
    return rc;
}

void serve_audio_processor_free(serve_audio_processor *processor)
{
    audio_config_free(&processor->config);
}

/* One audio clip, and the arrays of its item. */
typedef struct one_audio {
    audio_samples samples;
    audio_spectrogram spectrogram;
    int32_t *mask; /* [n_frames], ones: frames of padding are left out */
    assay_tensor tensors[2];
} one_audio;

/* serve_audio, with what it points to. */
typedef struct audios {
    serve_audio shown; /* first, so that a serve_audio is one of these */
    one_audio *audio;  /* [n] */
    assay_item *items;
    size_t *sizes; /* [3, n]: n_tokens, n_samples, n_frames */
} audios;

static assay_status read_samples(const serve_audio_processor *processor, const serve_media_file *file,
                                 size_t file_max, audio_samples *out, assay_error *err)
{
    const uint8_t *bytes = NULL;
    size_t n = 0;
    char *owned = NULL;
    assay_status rc = serve_media_file_read(file, file_max, &bytes, &n, &owned, err);
    if (rc == ASSAY_OK)
        rc = audio_samples_read(file->name, bytes, n, processor->config.sampling_rate, out, err);
    free(owned);
    return rc;
}

static size_t bytes_of(const audio_spectrogram *s)
{
    return s->n_frames * (s->n_mels * sizeof *s->values + sizeof(int32_t));
}

size_t serve_audio_bytes(const serve_audio *shown)
{
    const audios *all = (const audios *)(const void *)shown;
    size_t n = 0;
    for (size_t i = 0; i < shown->n; i++) n += bytes_of(&all->audio[i].spectrogram);
    return n;
}

/* Makes the item of audio clip i; its samples are freed. */
static assay_status make_item(const serve_audio_processor *processor, const char *name,
                              const serve_media_limits *limits, size_t n_longest, audios *all, size_t i,
                              assay_error *err)
{
    one_audio *one = &all->audio[i];
    const plan_audio front = {.chunk = processor->chunk};
    const size_t n = all->shown.n, n_samples = one->samples.n;
    assay_error reason = {0};
    assay_status rc = serve_media_go_on(limits, name, err);
    if (rc != ASSAY_OK) return rc;
    rc = audio_spectrogram_make(&processor->config, &one->samples, n_longest, &one->spectrogram, &reason);
    if (rc != ASSAY_OK) return assay_fail(err, rc, "%s: %s", name, reason.text);
    if (serve_audio_bytes(&all->shown) > limits->arrays)
        return assay_fail(err, ASSAY_EINVAL,
                          "%s: found an audio clip with which all take %zu bytes, expected at most %zu", name,
                          serve_audio_bytes(&all->shown), limits->arrays);
    audio_samples_free(&one->samples);
    const audio_spectrogram *s = &one->spectrogram;
    one->mask = calloc(s->n_frames + 1, sizeof *one->mask);
    if (!one->mask) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
    for (size_t f = 0; f < s->n_frames; f++) one->mask[f] = 1;
    one->tensors[0] = (assay_tensor){.name = "input_features",
                                     .dtype = ASSAY_F32,
                                     .rank = 3,
                                     .shape = {1, s->n_mels, s->n_frames},
                                     .data = s->values};
    one->tensors[1] = (assay_tensor){.name = "feature_attention_mask",
                                     .dtype = ASSAY_I32,
                                     .rank = 2,
                                     .shape = {1, s->n_frames},
                                     .data = one->mask};
    all->items[i] = (assay_item){.kind = ASSAY_ITEM_AUDIO, .tensors = one->tensors, .n_tensors = 2};
    all->sizes[i] = plan_audio_rows(&front, s->n_frames);
    all->sizes[n + i] = n_samples;
    all->sizes[2 * n + i] = s->n_frames;
    return ASSAY_OK;
}

assay_status serve_audio_open(const serve_audio_processor *processor, const serve_media_file *files, size_t n,
                              const serve_media_limits *limits, serve_audio **out, assay_error *err)
{
    audios *all = calloc(1, sizeof *all);
    size_t n_longest = 0, n_all = 0;
    if (!all) return assay_fail(err, ASSAY_ENOMEM, "%zu audio clips: out of memory", n);
    all->audio = calloc(n + 1, sizeof *all->audio);
    all->items = calloc(n + 1, sizeof *all->items);
    all->sizes = calloc(n + 1, 3 * sizeof *all->sizes);
    assay_status rc = ASSAY_OK;
    if (!all->audio || !all->items || !all->sizes)
        rc = assay_fail(err, ASSAY_ENOMEM, "%zu audio clips: out of memory", n);
    else all->shown = (serve_audio){all->items, all->sizes, all->sizes + n, all->sizes + 2 * n, n};
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        rc = serve_media_go_on(limits, files[i].name, err);
        if (rc == ASSAY_OK)
            rc = read_samples(processor, &files[i], limits->file, &all->audio[i].samples, err);
        n_all += all->audio[i].samples.n;
        if (all->audio[i].samples.n > n_longest) n_longest = all->audio[i].samples.n;
        if (rc == ASSAY_OK && n_all > AUDIO_SAMPLES_MAX)
            rc = assay_fail(err, ASSAY_EUNSUPPORTED,
                            "%s: found %zu samples in the audio clips of a prompt, expected at most %zu",
                            files[i].name, n_all, AUDIO_SAMPLES_MAX);
    }
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++)
        rc = make_item(processor, files[i].name, limits, n_longest, all, i, err);
    if (rc == ASSAY_OK) *out = &all->shown;
    else serve_audio_free(&all->shown);
    return rc;
}

void serve_audio_free(serve_audio *shown)
{
    audios *all = (audios *)(void *)shown;
    if (!all) return;
    for (size_t i = 0; all->audio && i < all->shown.n; i++) {
        audio_samples_free(&all->audio[i].samples);
        audio_spectrogram_free(&all->audio[i].spectrogram);
        free(all->audio[i].mask);
    }
    free(all->audio);
    free(all->items);
    free(all->sizes);
    free(all);
}
