/* SPDX-License-Identifier: Apache-2.0 */
#include "sound/samples.h"

#include <inttypes.h>
#include <math.h>
#include <sndfile.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { CHANNELS_MAX = 2, BLOCK = 4096 }; /* BLOCK: frames that are read at once */

/* The bytes of a file, and where libsndfile reads. */
typedef struct bytes {
    const uint8_t *data;
    sf_count_t n, at;
} bytes;

static sf_count_t size_of(void *user)
{
    return ((const bytes *)user)->n;
}

static sf_count_t seek_to(sf_count_t offset, int whence, void *user)
{
    bytes *b = user;
    const sf_count_t from = whence == SEEK_CUR ? b->at : whence == SEEK_END ? b->n : 0;
    if (offset < -from || offset > b->n - from) return -1;
    return b->at = from + offset;
}

static sf_count_t read_some(void *to, sf_count_t count, void *user)
{
    bytes *b = user;
    const sf_count_t rest = b->n - b->at, n = count < rest ? count : rest;
    if (n <= 0) return 0;
    memcpy(to, b->data + b->at, (size_t)n);
    b->at += n;
    return n;
}

static sf_count_t write_nothing(const void *from, sf_count_t count, void *user)
{
    (void)from;
    (void)count;
    (void)user;
    return 0;
}

static sf_count_t position_of(void *user)
{
    return ((const bytes *)user)->at;
}

/* Only these readers of libsndfile see the bytes. */
static bool has_signature(const uint8_t *data, size_t n)
{
    const bool is_wav = n >= 12 && memcmp(data, "RIFF", 4) == 0 && memcmp(data + 8, "WAVE", 4) == 0;
    return is_wav || (n >= 4 && memcmp(data, "fLaC", 4) == 0);
}

static bool is_supported(int format)
{
    switch (format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_PCM_U8:
    case SF_FORMAT_PCM_S8:
    case SF_FORMAT_PCM_16:
    case SF_FORMAT_PCM_24:
    case SF_FORMAT_PCM_32:
    case SF_FORMAT_FLOAT:
    case SF_FORMAT_DOUBLE:
    case SF_FORMAT_ULAW:
    case SF_FORMAT_ALAW: return true;
    default: return false;
    }
}

static assay_status check_info(const char *name, const SF_INFO *info, int64_t sampling_rate, assay_error *err)
{
    if (!is_supported(info->format))
        return assay_fail(
            err, ASSAY_EUNSUPPORTED,
            "%s: found a file of libsndfile's format 0x%x, expected linear, floating or companded "
            "samples",
            name, (unsigned)info->format);
    if (info->channels < 1 || info->channels > CHANNELS_MAX)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: found %d channels, expected 1 or 2", name,
                          info->channels);
    if (info->samplerate != sampling_rate)
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "%s: found a sampling rate of %d Hz, expected %" PRId64
                          ", that of the checkpoint (sampling_rate): nothing is resampled",
                          name, info->samplerate, sampling_rate);
    if (info->frames <= 0) return assay_fail(err, ASSAY_EFORMAT, "%s: found no samples", name);
    if ((uint64_t)info->frames > SOUND_SAMPLES_MAX)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: found %" PRId64 " samples, expected at most %zu",
                          name, (int64_t)info->frames, SOUND_SAMPLES_MAX);
    return ASSAY_OK;
}

/* One block of frames to samples. */
static void mix(const float *block, size_t n, int channels, float *out)
{
    for (size_t i = 0; i < n; i++) out[i] = channels == 1 ? block[i] : (block[2 * i] + block[2 * i + 1]) / 2;
}

static assay_status read_samples(const char *name, SNDFILE *file, const SF_INFO *info, float *out,
                                 assay_error *err)
{
    const size_t n = (size_t)info->frames;
    float block[BLOCK * CHANNELS_MAX];
    for (size_t done = 0; done < n;) {
        const sf_count_t want = n - done < BLOCK ? (sf_count_t)(n - done) : BLOCK;
        const sf_count_t got = sf_readf_float(file, block, want);
        if (got <= 0 || got > want)
            return assay_fail(err, ASSAY_EFORMAT, "%s: found %zu samples, expected %zu: damaged or truncated",
                              name, done, n);
        mix(block, (size_t)got, info->channels, out + done);
        done += (size_t)got;
    }
    for (size_t i = 0; i < n; i++)
        if (!isfinite(out[i]))
            return assay_fail(err, ASSAY_EFORMAT, "%s: sample %zu: found %g, expected a finite number", name,
                              i, (double)out[i]);
    return ASSAY_OK;
}

assay_status sound_samples_read(const char *name, const uint8_t *data, size_t n, int64_t sampling_rate,
                                sound_samples *out, assay_error *err)
{
    SF_VIRTUAL_IO io = {size_of, seek_to, read_some, write_nothing, position_of};
    bytes b = {data, (sf_count_t)n, 0};
    SF_INFO info = {0};
    if (!has_signature(data, n))
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: expected a WAV or FLAC file", name);
    SNDFILE *file = sf_open_virtual(&io, SFM_READ, &info, &b);
    if (!file) return assay_fail(err, ASSAY_EFORMAT, "%s: damaged or not supported by libsndfile", name);
    float *values = NULL;
    assay_status rc = check_info(name, &info, sampling_rate, err);
    if (rc == ASSAY_OK) {
        values = malloc((size_t)info.frames * sizeof *values);
        rc = values ? read_samples(name, file, &info, values, err)
                    : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
    }
    (void)sf_close(file);
    if (rc == ASSAY_OK) *out = (sound_samples){values, (size_t)info.frames};
    else free(values);
    return rc;
}

void sound_samples_free(sound_samples *samples)
{
    free(samples->values);
    *samples = (sound_samples){0};
}
