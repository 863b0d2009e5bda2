/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/audio.h"

#include <string.h>

#include "server/request/media.h"

/* A format that a request may name, and how its files begin. */
static const struct {
    const char *name, *signature;
} formats[] = {{"wav", "RIFF"}, {"flac", "fLaC"}};
enum { N_FORMATS = sizeof formats / sizeof *formats, N_SIGNATURE = 4 };

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
    const assay_status rc = server_medium_add_base64(r, path, SERVER_AUDIO, json_object_get_string(data),
                                                     (size_t)json_object_get_string_len(data));
    if (rc != ASSAY_OK) return rc;
    const server_medium *audio = &r->audios[r->n_audios - 1];
    if (audio->n < N_SIGNATURE || memcmp(audio->bytes, formats[format].signature, N_SIGNATURE) != 0)
        return server_refuse(r->refusal, 400, path->text,
                             "found another file, expected a %s file, as `format` says",
                             formats[format].name);
    return ASSAY_OK;
}

assay_status server_audio_add(server_reading *r, const server_path *path, json_object *part)
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
