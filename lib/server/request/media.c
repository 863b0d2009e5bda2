/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/media.h"

#include "base/grow.h"

#include <stdio.h>
#include <stdlib.h>

/* The names of each kind, for messages. */
static const struct {
    const char *one, *many;
} nouns[] = {[SERVER_IMAGES] = {"an image", "images"}, [SERVER_SOUNDS] = {"a sound", "sounds"}};

/* The value of a base64 digit; -1: none. */
static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* *out: [*n_out], which the caller frees. ASSAY_EINVAL for other text, ASSAY_ENOMEM. */
static assay_status decode_base64(const char *text, size_t n, uint8_t **out, size_t *n_out)
{
    const size_t n_padding = n < 4 || text[n - 1] != '=' ? 0 : text[n - 2] != '=' ? 1 : 2;
    if (n % 4 != 0) return ASSAY_EINVAL;
    uint8_t *bytes = malloc(n / 4 * 3 + 1);
    if (!bytes) return ASSAY_ENOMEM;
    size_t n_bytes = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < n; i++) {
        const int digit = i >= n - n_padding ? 0 : digit_of(text[i]);
        if (digit < 0) {
            free(bytes);
            return ASSAY_EINVAL;
        }
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 != 3) continue;
        for (int shift = 16; shift >= 0; shift -= 8) bytes[n_bytes++] = (uint8_t)(bits >> shift);
        bits = 0;
    }
    n_bytes -= n_padding;
    /* the bits after the last byte are 0 in canonical text */
    const int last = n_padding ? digit_of(text[n - n_padding - 1]) : 0;
    if (last < 0 || (n_padding && last % (n_padding == 2 ? 16 : 4) != 0)) {
        free(bytes);
        return ASSAY_EINVAL;
    }
    *out = bytes;
    *n_out = n_bytes;
    return ASSAY_OK;
}

server_medium *server_media_add(server_reading *r, const server_path *path, server_media_kind kind,
                                assay_status *rc)
{
    const server_requests *c = r->context;
    const bool is_image = kind == SERVER_IMAGES, is_taken = is_image ? c->has_images : c->has_sounds;
    server_medium **list = is_image ? &r->images : &r->sounds;
    size_t *n = is_image ? &r->n_images : &r->n_sounds;
    *rc = ASSAY_EINVAL;
    if (!is_taken) {
        (void)server_refuse(r->refusal, 400, path->text, "found %s; the model takes none: %s",
                            nouns[kind].one, is_image ? c->no_images.text : c->no_sounds.text);
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

assay_status server_media_refuse_size(const server_reading *r, const server_path *path,
                                      server_media_kind kind)
{
    return server_refuse(r->refusal, 413, path->text, "found %s of more bytes, expected at most %zu",
                         nouns[kind].one, r->context->options.limits.image_bytes);
}

assay_status server_media_add_base64(server_reading *r, const server_path *path, server_media_kind kind,
                                     const char *text, size_t n)
{
    assay_status rc;
    server_medium *medium = server_media_add(r, path, kind, &rc);
    if (!medium) return rc;
    if (n / 4 > r->context->options.limits.image_bytes / 3) return server_media_refuse_size(r, path, kind);
    rc = decode_base64(text, n, &medium->bytes, &medium->n);
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
