/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/audio_size.h"

#include <inttypes.h>

#include "audio/config.h"
#include "audio/spectrogram.h"
#include "base/error.h"
#include "model/plan/audio.h"

enum { WINDOW_USUAL = 50, WINDOW_MAX = 65536 };

/* An option from `least` to `most`. */
static assay_status check_range(const char *name, int64_t found, int64_t least, int64_t most,
                                assay_error *err)
{
    if (found >= least && found <= most) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINVAL,
                      "assay_sound_options: %s: found %" PRId64 ", expected %" PRId64 " to %" PRId64, name,
                      found, least, most);
}

/* Fills in defaults. */
static assay_status check_options(assay_sound_options *o, assay_error *err)
{
    if (o->reserved != 0)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "assay_sound_options: reserved is not 0");
    if (!o->config.at || o->n_samples == 0)
        return assay_fail(err, ASSAY_EINVAL, "assay_sound_options: %s is required",
                          !o->config.at ? "config" : "n_samples");
    if (o->n_longest == 0) o->n_longest = o->n_samples;
    if (o->n_window == 0) o->n_window = WINDOW_USUAL;
    assay_status rc = check_range("n_samples", o->n_samples, 1, (int64_t)AUDIO_SAMPLES_MAX, err);
    if (rc == ASSAY_OK)
        rc = check_range("n_longest", o->n_longest, o->n_samples, (int64_t)AUDIO_SAMPLES_MAX, err);
    return rc == ASSAY_OK ? check_range("n_window", o->n_window, 1, WINDOW_MAX, err) : rc;
}

assay_status serve_audio_size(const assay_sound_options *options, assay_sound_size *out, assay_error *err)
{
    assay_sound_options o;
    audio_config config;
    assay_status rc = assay_options_read(&o, sizeof o, options, "assay_sound_options", err);
    if (rc == ASSAY_OK) rc = check_options(&o, err);
    if (rc == ASSAY_OK)
        rc = audio_config_parse("preprocessor_config.json", o.config.at, o.config.n, &config, err);
    if (rc != ASSAY_OK) return rc;
    rc = audio_spectrogram_check(&config, (size_t)o.n_longest, err);
    if (rc == ASSAY_OK) {
        const plan_audio front = {.chunk = 2 * (size_t)o.n_window};
        const int64_t n_frames = audio_frames(&config, o.n_samples, o.n_longest);
        *out = (assay_sound_size){.n_frames = n_frames,
                                  .n_tokens = (int64_t)plan_audio_rows(&front, (size_t)n_frames)};
    }
    audio_config_free(&config);
    return rc;
}
