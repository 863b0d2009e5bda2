/* SPDX-License-Identifier: Apache-2.0 */
#include "audio/samples.h"

#include <inttypes.h>
#include <math.h>
#include <sndfile.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { BLOCK = 8192, LANES = 8 }; /* BLOCK: samples of all channels that are read at once */

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
    /* As in a file, a position behind the end is valid. */
    if (offset < -from || offset > SF_COUNT_MAX - from) return -1;
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

/* Of MIDI sample dumps: libsndfile writes what it finds in damaged ones to standard output. */
static bool has_signature_of_sds(const uint8_t *data, size_t n)
{
    return n >= 2 && data[0] == 0xf0 && data[1] == 0x7e;
}

/* Older versions of libsndfile read these subtypes, newer ones, as that of soundfile, report an error. */
static bool is_unreadable(int format)
{
    const int subtype = format & SF_FORMAT_SUBMASK;
    return subtype == SF_FORMAT_DWVW_16 || subtype == SF_FORMAT_DWVW_24;
}

static assay_status check_info(const char *name, const SF_INFO *info, int64_t sampling_rate, assay_error *err)
{
    /* soundfile does not read a file to its end if libsndfile cannot move in it. */
    if (!info->seekable || is_unreadable(info->format))
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "%s: found a file of libsndfile's format 0x%x, which soundfile does not read", name,
                          (unsigned)info->format);
    if (info->channels < 1 || info->channels > BLOCK)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: found %d channels, expected 1 to %d", name,
                          info->channels, BLOCK);
    if (info->samplerate != sampling_rate)
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "%s: found a sampling rate of %d Hz, expected %" PRId64
                          ", that of the checkpoint (sampling_rate): nothing is resampled",
                          name, info->samplerate, sampling_rate);
    if (info->frames <= 0) return assay_fail(err, ASSAY_EFORMAT, "%s: found no samples", name);
    if ((uint64_t)info->frames > AUDIO_SAMPLES_MAX)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: found %" PRId64 " samples, expected at most %zu",
                          name, (int64_t)info->frames, AUDIO_SAMPLES_MAX);
    return ASSAY_OK;
}

/* The mean of a frame, whose additions have the order of numpy's. */
static float mean_of(const float *frame, size_t n)
{
    float sums[LANES] = {0}, sum;
    size_t i = 0;
    if (n == 1) return frame[0];
    for (; n >= LANES && i + LANES <= n; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++) sums[lane] += frame[i + lane];
    sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; i < n; i++) sum += frame[i];
    return sum / (float)n;
}

/* *n_out: samples that were read; fewer than the head of a truncated file says. */
static assay_status read_samples(const char *name, SNDFILE *file, const SF_INFO *info, float *out,
                                 size_t *n_out, assay_error *err)
{
    const size_t n = (size_t)info->frames, channels = (size_t)info->channels;
    float block[BLOCK];
    size_t done = 0;
    for (sf_count_t got = 1; done < n && got > 0; done += (size_t)got) {
        const size_t most = BLOCK / channels, want = n - done < most ? n - done : most;
        got = sf_readf_float(file, block, (sf_count_t)want);
        if (got < 0 || (size_t)got > want || sf_error(file) != SF_ERR_NO_ERROR)
            return assay_fail(err, ASSAY_EFORMAT, "%s: damaged behind sample %zu of %zu: %s", name, done, n,
                              sf_strerror(file));
        for (size_t i = 0; i < (size_t)got; i++) out[done + i] = mean_of(block + i * channels, channels);
    }
    for (size_t i = 0; i < done; i++)
        if (!isfinite(out[i]))
            return assay_fail(err, ASSAY_EFORMAT, "%s: sample %zu: found %g, expected a finite number", name,
                              i, (double)out[i]);
    *n_out = done;
    return done > 0 ? ASSAY_OK : assay_fail(err, ASSAY_EFORMAT, "%s: found no samples", name);
}

assay_status audio_samples_read(const char *name, const uint8_t *data, size_t n, int64_t sampling_rate,
                                audio_samples *out, assay_error *err)
{
    SF_VIRTUAL_IO io = {size_of, seek_to, read_some, write_nothing, position_of};
    bytes b = {data, (sf_count_t)n, 0};
    SF_INFO info = {0};
    if (has_signature_of_sds(data, n))
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: found a MIDI sample dump, which is not supported",
                          name);
    SNDFILE *file = sf_open_virtual(&io, SFM_READ, &info, &b);
    if (!file)
        return assay_fail(
            err, ASSAY_EFORMAT,
            "%s: expected an audio file that libsndfile reads, such as WAV, FLAC, Ogg, MP3, AIFF, AU "
            "or CAF, found another format or a damaged file",
            name);
    float *values = NULL;
    size_t n_values = 0;
    assay_status rc = check_info(name, &info, sampling_rate, err);
    if (rc == ASSAY_OK) {
        values = malloc((size_t)info.frames * sizeof *values);
        rc = values ? read_samples(name, file, &info, values, &n_values, err)
                    : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
    }
    (void)sf_close(file);
    if (rc == ASSAY_OK) *out = (audio_samples){values, n_values};
    else free(values);
    return rc;
}

void audio_samples_free(audio_samples *samples)
{
    free(samples->values);
    *samples = (audio_samples){0};
}
