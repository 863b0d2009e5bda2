/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/media.h"

#include "base/base64.h"
#include "base/grow.h"

#include <stdio.h>
#include <stdlib.h>

/* The names of each kind, for messages. */
static const struct {
    const char *one, *many;
} nouns[] = {[SERVER_IMAGES] = {"an image", "images"}, [SERVER_AUDIO] = {"an audio clip", "audio clips"}};

server_medium *server_medium_add(server_reading *r, const server_path *path, server_medium_kind kind,
                                 assay_status *rc)
{
    const server_requests *c = r->context;
    const bool is_image = kind == SERVER_IMAGES, is_taken = is_image ? c->has_images : c->has_audio;
    server_medium **list = is_image ? &r->images : &r->audios;
    size_t *n = is_image ? &r->n_images : &r->n_audios;
    *rc = ASSAY_EINVAL;
    if (!is_taken) {
        (void)server_refuse(r->refusal, 400, path->text, "found %s; the model takes none: %s",
                            nouns[kind].one, is_image ? c->no_images.text : c->no_audio.text);
        return NULL;
    }
    if (*n == c->options.limits.n_images) {
        (void)server_refuse(r->refusal, 413, path->text, "found more than %zu %s, expected no more",
                            c->options.limits.n_images, nouns[kind].many);
        return NULL;
    }
    server_medium *media = grow_by_one(*list, *n, sizeof *media);
    if (!media) {
        *rc = server_out_of_memory(r);
        return NULL;
    }
    *list = media;
    media[*n] = (server_medium){0};
    (void)snprintf(media[*n].member, sizeof media->member, "%s", path->text);
    *rc = ASSAY_OK;
    return &media[(*n)++];
}

assay_status server_medium_refuse_size(const server_reading *r, const server_path *path,
                                       server_medium_kind kind)
{
    return server_refuse(r->refusal, 413, path->text, "found %s of more bytes, expected at most %zu",
                         nouns[kind].one, r->context->options.limits.image_bytes);
}

assay_status server_medium_add_base64(server_reading *r, const server_path *path, server_medium_kind kind,
                                      const char *text, size_t n)
{
    assay_status rc;
    server_medium *medium = server_medium_add(r, path, kind, &rc);
    if (!medium) return rc;
    if (n / 4 > r->context->options.limits.image_bytes / 3) return server_medium_refuse_size(r, path, kind);
    buffer bytes = {0};
    rc = base64_decode(text, n, &bytes);
    medium->bytes = (uint8_t *)bytes.data;
    medium->n = bytes.n;
    if (rc == ASSAY_ENOMEM) return server_out_of_memory(r);
    if (rc != ASSAY_OK || medium->n == 0)
        return server_refuse(r->refusal, 400, path->text,
                             "found %zu characters that are not base64 of %s, expected padded base64 "
                             "without white space",
                             n, nouns[kind].one);
    return ASSAY_OK;
}

void server_media_free(server_medium *media, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(media[i].path);
        free(media[i].bytes);
    }
    free(media);
}
