/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/sounds.h"

#include <stdio.h>
#include <string.h>

#include "base/grow.h"
#include "server/request/images.h"

/* A format that a request may name, and how its files begin. */
static const struct {
    const char *name, *signature;
} formats[] = {{"wav", "RIFF"}, {"flac", "fLaC"}};
enum { N_FORMATS = sizeof formats / sizeof *formats, N_SIGNATURE = 4 };

/* A new sound; NULL after a failure, which *rc is. */
static server_medium *add_sound(server_reading *r, const server_path *path, assay_status *rc)
{
    const server_requests *c = r->context;
    *rc = ASSAY_EINVAL;
    if (!c->has_sounds) {
        (void)server_refuse(r->refusal, 400, path->text, "found a sound; the model takes none: %s",
                            c->no_sounds.text);
        return NULL;
    }
    if (r->n_sounds == c->options.limits.n_images) {
        (void)server_refuse(r->refusal, 413, path->text, "found more than %zu sounds, expected no more",
                            c->options.limits.n_images);
        return NULL;
    }
    server_medium *sounds = grow_by_one(r->sounds, r->n_sounds, sizeof *sounds);
    if (!sounds) {
        *rc = server_out_of_memory(r);
        return NULL;
    }
    r->sounds = sounds;
    sounds[r->n_sounds] = (server_medium){0};
    (void)snprintf(sounds[r->n_sounds].member, sizeof sounds->member, "%s", path->text);
    *rc = ASSAY_OK;
    return &sounds[r->n_sounds++];
}

/* The entry of `formats`; N_FORMATS after a refusal. */
static size_t find_format(const server_reading *r, const server_path *path, json_object *format)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (server_is(format, formats[i].name)) return i;
    (void)server_unexpected(r, path, format, "\"wav\" or \"flac\"");
    return N_FORMATS;
}

static assay_status add_data(server_reading *r, const server_path *path, json_object *data, size_t format)
{
    const size_t n = (size_t)json_object_get_string_len(data), most = r->context->options.limits.image_bytes;
    assay_status rc;
    server_medium *sound = add_sound(r, path, &rc);
    if (!sound) return rc;
    if (n / 4 > most / 3)
        return server_refuse(r->refusal, 413, path->text, "found a sound of more bytes, expected at most %zu",
                             most);
    rc = server_base64_decode(json_object_get_string(data), n, &sound->bytes, &sound->n);
    if (rc == ASSAY_ENOMEM) return server_out_of_memory(r);
    if (rc != ASSAY_OK || sound->n == 0)
        return server_refuse(r->refusal, 400, path->text,
                             "found %zu characters that are not base64 of a sound, expected padded base64 "
                             "without white space",
                             n);
    if (sound->n < N_SIGNATURE || memcmp(sound->bytes, formats[format].signature, N_SIGNATURE) != 0)
        return server_refuse(r->refusal, 400, path->text,
                             "found another file, expected a %s file, as `format` says",
                             formats[format].name);
    return ASSAY_OK;
}

assay_status server_sounds_add(server_reading *r, const server_path *path, json_object *part)
{
    static const char *const names[] = {"type", "input_audio", NULL}, *const inner[] = {"data", "format",
                                                                                        NULL};
    const server_path at = server_path_member(path, "input_audio"),
                      data_place = server_path_member(&at, "data"),
                      format_place = server_path_member(&at, "format");
    json_object *audio, *data, *format = NULL;
    assay_status rc = server_only(r, path, part, names);
    if (rc == ASSAY_OK) rc = server_required(r, path, part, "input_audio", json_type_object, &audio);
    if (rc == ASSAY_OK) rc = server_only(r, &at, audio, inner);
    if (rc == ASSAY_OK) rc = server_required(r, &at, audio, "data", json_type_string, &data);
    if (rc == ASSAY_OK) rc = server_required(r, &at, audio, "format", json_type_string, &format);
    if (rc != ASSAY_OK) return rc;
    const size_t known = find_format(r, &format_place, format);
    return known == N_FORMATS ? ASSAY_EINVAL : add_data(r, &data_place, data, known);
}
