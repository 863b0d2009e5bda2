/* Input: an audio file. A byte before it chooses one of a few configs, by which the samples become a
 * spectrogram.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "audio/config.h"
#include "audio/samples.h"
#include "audio/spectrogram.h"
#include "fuzz/fuzz.h"

#define SAMPLES_MAX 4096 /* of audio clips whose spectrogram is made as well */

#define TYPE "{\"feature_extractor_type\":\"WhisperFeatureExtractor\","

/* Seeds hold indices into this table: add to its end only. */
static const char *const CONFIGS[] = {TYPE "\"feature_size\":5,\"n_fft\":20,\"hop_length\":7}",
                                      TYPE "\"feature_size\":3,\"n_fft\":4,\"hop_length\":9}",
                                      TYPE "\"feature_size\":80}"};
enum { N_CONFIGS = sizeof CONFIGS / sizeof *CONFIGS };

/* libsndfile 1.2.0 loses 6 KB of libvorbis for each Ogg file whose Vorbis headers are damaged. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:vorbis_info_init\n";
}

static void make_spectrogram(const audio_config *config, const audio_samples *audio, size_t n_longest)
{
    audio_spectrogram s = {.n_frames = 77};
    assay_error err = {0};
    const assay_status rc = audio_spectrogram_make(config, audio, n_longest, &s, &err);
    if (rc != ASSAY_OK) {
        fuzz_require_refusal(rc, &err, s.n_frames == 77);
        return;
    }
    fuzz_require(s.n_frames <= n_longest, "a frame has samples");
    for (size_t i = 0; i < s.n_mels * s.n_frames; i++)
        fuzz_require(isfinite(s.values[i]), "every value is finite");
    audio_spectrogram_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    audio_config config;
    audio_samples audio = {NULL, 77};
    assay_error err = {0};
    if (size == 0) return 0;
    const char *text = CONFIGS[data[0] % N_CONFIGS];
    fuzz_require(audio_config_parse("config", text, strlen(text), &config, &err) == ASSAY_OK,
                 "the config is valid");
    const assay_status rc =
        audio_samples_read("audio", data + 1, size - 1, config.sampling_rate, &audio, &err);
    if (rc != ASSAY_OK) {
        fuzz_require_refusal(rc, &err, audio.n == 77 && !audio.values);
    } else {
        fuzz_require(audio.n > 0 && audio.n <= AUDIO_SAMPLES_MAX, "an audio clip has samples");
        if (audio.n <= SAMPLES_MAX) {
            make_spectrogram(&config, &audio, audio.n);
            make_spectrogram(&config, &audio, audio.n + data[0]);
        }
        audio_samples_free(&audio);
    }
    audio_config_free(&config);
    return 0;
}
