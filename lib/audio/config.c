/* SPDX-License-Identifier: Apache-2.0 */
#include "audio/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"

#define NOTE_MAX 200 /* bytes of a note; longer names are cut */

const json_limits audio_config_limits = {.bytes = (size_t)1 << 20, .values = (size_t)1 << 14};

/* The defaults of the published class. */
static const audio_config whisper = {.type = "WhisperFeatureExtractor",
                                     .sampling_rate = 16000,
                                     .feature_size = 80,
                                     .hop_length = 160,
                                     .n_fft = 400};

/* The file that is read, and where its members go. */
typedef struct reading {
    const char *path;
    audio_config config;
    assay_error *err;
} reading;

/* A member that is a whole number from `least` to `most`. */
typedef struct whole {
    const char *name;
    size_t offset; /* in audio_config */
    int64_t least, most;
} whole;

static const whole wholes[] = {{"sampling_rate", offsetof(audio_config, sampling_rate), 1, AUDIO_RATE_MAX},
                               {"feature_size", offsetof(audio_config, feature_size), 1, AUDIO_BINS_MAX},
                               {"hop_length", offsetof(audio_config, hop_length), 1, AUDIO_FFT_MAX},
                               {"n_fft", offsetof(audio_config, n_fft), 2, AUDIO_FFT_MAX}};
enum { N_WHOLES = sizeof wholes / sizeof *wholes };

/* Fails with what was found and what was expected of a member. */
static assay_status refuse(const reading *r, assay_status status, const char *name, json_object *found,
                           const char *expected)
{
    const char *text = json_object_to_json_string_ext(found, JSON_C_TO_STRING_PLAIN);
    return assay_fail(r->err, status, "%s: member %.80s: found %.80s, expected %s", r->path, name,
                      text ? text : "?", expected);
}

static assay_status note(reading *r, const char *name, json_object *found)
{
    char text[NOTE_MAX];
    const char *value = json_object_to_json_string_ext(found, JSON_C_TO_STRING_PLAIN);
    (void)snprintf(text, sizeof text, "member %.60s (%.60s) has no effect on audio clips", name,
                   value ? value : "?");
    char **notes = grow_by_one(r->config.notes, r->config.n_notes, sizeof *notes);
    if (notes) r->config.notes = notes;
    if (!notes || !(notes[r->config.n_notes] = strdup(text)))
        return assay_fail(r->err, ASSAY_ENOMEM, "%s: out of memory", r->path);
    r->config.n_notes++;
    return ASSAY_OK;
}

static assay_status read_whole(reading *r, const whole *w, json_object *found)
{
    char expected[96];
    (void)snprintf(expected, sizeof expected, "a whole number from %" PRId64 " to %" PRId64, w->least,
                   w->most);
    if (!json_object_is_type(found, json_type_int)) return refuse(r, ASSAY_EFORMAT, w->name, found, expected);
    const int64_t value = json_object_get_int64(found);
    if (value < w->least || value > w->most) return refuse(r, ASSAY_EUNSUPPORTED, w->name, found, expected);
    *(int64_t *)(void *)((char *)&r->config + w->offset) = value;
    return ASSAY_OK;
}

/* A number that must be 0. */
static assay_status read_zero(const reading *r, const char *name, json_object *found)
{
    if (!json_object_is_type(found, json_type_int) && !json_object_is_type(found, json_type_double))
        return refuse(r, ASSAY_EFORMAT, name, found, "a number");
    return json_object_get_double(found) == 0
               ? ASSAY_OK
               : refuse(r, ASSAY_EUNSUPPORTED, name, found, "0: others are not implemented");
}

static assay_status read_type(const reading *r, const char *name, json_object *found)
{
    const char *text = json_text(found);
    return text && strcmp(text, whisper.type) == 0
               ? ASSAY_OK
               : refuse(r, ASSAY_EUNSUPPORTED, name, found, "\"WhisperFeatureExtractor\"");
}

static assay_status read_side(const reading *r, const char *name, json_object *found)
{
    const char *text = json_text(found);
    return text && strcmp(text, "right") == 0 ? ASSAY_OK
                                              : refuse(r, ASSAY_EUNSUPPORTED, name, found, "\"right\"");
}

static assay_status read_member(reading *r, const char *name, json_object *found)
{
    for (size_t i = 0; i < N_WHOLES; i++)
        if (strcmp(name, wholes[i].name) == 0) return read_whole(r, &wholes[i], found);
    if (strcmp(name, "feature_extractor_type") == 0) return read_type(r, name, found);
    if (strcmp(name, "dither") == 0 || strcmp(name, "padding_value") == 0) return read_zero(r, name, found);
    if (strcmp(name, "padding_side") == 0) return read_side(r, name, found);
    return found ? note(r, name, found) : ASSAY_OK;
}

/* What audio/fourier transforms, and frames that are n / hop_length. */
static assay_status check_fft(const reading *r)
{
    int64_t n = r->config.n_fft;
    for (int64_t p = 2; p <= 5; p++)
        while (n % p == 0) n /= p;
    if (n == 1 && r->config.n_fft % 2 == 0) return ASSAY_OK;
    return assay_fail(r->err, ASSAY_EUNSUPPORTED,
                      "%s: member n_fft: found %" PRId64 ", expected an even product of 2, 3 and 5", r->path,
                      r->config.n_fft);
}

assay_status audio_config_read(const char *path, json_object *root, audio_config *out, assay_error *err)
{
    reading r = {.path = path, .config = whisper, .err = err};
    json_object *type = NULL;
    if (!json_object_is_type(root, json_type_object))
        return assay_fail(err, ASSAY_EFORMAT, "%s: expected a JSON object", path);
    if (!json_object_object_get_ex(root, "feature_extractor_type", &type))
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "%s: found no member feature_extractor_type, expected \"%s\"", path, whisper.type);
    assay_status rc = ASSAY_OK;
    json_object_object_foreach(root, name, value)
    {
        if (rc == ASSAY_OK) rc = read_member(&r, name, value);
    }
    if (rc == ASSAY_OK) rc = check_fft(&r);
    if (rc == ASSAY_OK) *out = r.config;
    else audio_config_free(&r.config);
    return rc;
}

assay_status audio_config_parse(const char *path, const char *text, size_t n, audio_config *out,
                                assay_error *err)
{
    json_object *root = NULL;
    assay_status rc = json_parse_within(path, text, n, &audio_config_limits, &root, err);
    if (rc != ASSAY_OK) return rc;
    rc = audio_config_read(path, root, out, err);
    (void)json_object_put(root);
    return rc;
}

void audio_config_free(audio_config *config)
{
    for (size_t i = 0; i < config->n_notes; i++) free(config->notes[i]);
    free(config->notes);
    config->notes = NULL;
    config->n_notes = 0;
}
