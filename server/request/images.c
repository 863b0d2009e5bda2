/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/images.h"

#include "base/grow.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The value of a base64 digit; -1: none. */
static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

assay_status server_base64_decode(const char *text, size_t n, uint8_t **out, size_t *n_out)
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

/* A new image; NULL after a failure, which *rc is. */
static server_medium *add_image(server_reading *r, const server_path *path, assay_status *rc)
{
    const server_requests *c = r->context;
    *rc = ASSAY_EINVAL;
    if (!c->has_images) {
        (void)server_refuse(r->refusal, 400, path->text, "found an image; the model takes none: %s",
                            c->no_images.text);
        return NULL;
    }
    if (r->n_images == c->options.limits.n_images) {
        (void)server_refuse(r->refusal, 413, path->text, "found more than %zu images, expected no more",
                            c->options.limits.n_images);
        return NULL;
    }
    server_medium *images = grow_by_one(r->images, r->n_images, sizeof *images);
    if (!images) {
        *rc = server_out_of_memory(r);
        return NULL;
    }
    r->images = images;
    images[r->n_images] = (server_medium){0};
    (void)snprintf(images[r->n_images].member, sizeof images->member, "%s", path->text);
    *rc = ASSAY_OK;
    return &images[r->n_images++];
}

static assay_status refuse_size(const server_reading *r, const server_path *path)
{
    return server_refuse(r->refusal, 413, path->text, "found an image of more bytes, expected at most %zu",
                         r->context->options.limits.image_bytes);
}

assay_status server_images_add_base64(server_reading *r, const server_path *path, const char *text, size_t n)
{
    assay_status rc;
    server_medium *image = add_image(r, path, &rc);
    if (!image) return rc;
    if (n / 4 > r->context->options.limits.image_bytes / 3) return refuse_size(r, path);
    rc = server_base64_decode(text, n, &image->bytes, &image->n);
    if (rc == ASSAY_ENOMEM) return server_out_of_memory(r);
    if (rc != ASSAY_OK || image->n == 0)
        return server_refuse(r->refusal, 400, path->text,
                             "found %zu characters that are not base64 of an image, expected padded base64 "
                             "without white space",
                             n);
    return ASSAY_OK;
}

/* "data:image/png;base64,…" */
static assay_status add_data(server_reading *r, const server_path *path, const char *url, size_t n)
{
    static const char base64[] = ";base64";
    const char *comma = memchr(url, ',', n);
    const size_t n_head = comma ? (size_t)(comma - url) : 0;
    if (!comma || n_head < sizeof base64 || strncmp(url, "data:image/", 11) != 0 ||
        memcmp(comma - (sizeof base64 - 1), base64, sizeof base64 - 1) != 0)
        return server_refuse(r->refusal, 400, path->text,
                             "found a data URL of another kind, expected data:image/…;base64,…");
    return server_images_add_base64(r, path, comma + 1, n - n_head - 1);
}

/* Whether path is below the directory; both are real paths. */
static bool is_below(const char *path, const char *dir)
{
    const size_t n = strcmp(dir, "/") == 0 ? 0 : strlen(dir);
    return strncmp(path, dir, n) == 0 && path[n] == '/';
}

/* The path of a URL of RFC 8089, in which %20 is a space, after "file:". The host is empty, "localhost", or
 * left out. False if the path has a NUL or another % than that of two hexadecimal digits. */
static bool append_path(buffer *out, const char *name)
{
    for (; *name; name++) {
        unsigned byte = (unsigned char)*name;
        if (*name == '%') {
            const char digits[] = {name[1], name[1] ? name[2] : '\0', '\0'};
            if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1])) return false;
            byte = (unsigned)strtoul(digits, NULL, 16);
            if (byte == 0) return false;
            name += 2;
        }
        const char one = (char)byte;
        buffer_append(out, &one, 1);
    }
    buffer_append(out, "", 1);
    return true;
}

/* A file that is missing and one that is elsewhere are refused with the same words: a request must not find
 * out which files there are. */
static assay_status add_file(server_reading *r, const server_path *path, const char *name)
{
    const char *dir = r->context->files;
    buffer joined = {0};
    struct stat info;
    if (!dir)
        return server_refuse(r->refusal, 400, path->text,
                             "found a file, and the server has no directory of files: expected a data URL");
    if (strncmp(name, "//localhost/", 12) == 0) name += 11;
    else if (strncmp(name, "///", 3) == 0) name += 2;
    if (*name != '/') {
        buffer_append_string(&joined, dir);
        buffer_append_string(&joined, "/");
    }
    const bool is_path = append_path(&joined, name);
    if (joined.failed) {
        buffer_free(&joined);
        return server_out_of_memory(r);
    }
    char *real = is_path ? realpath(joined.data, NULL) : NULL;
    buffer_free(&joined);
    if (!real || !is_below(real, dir) || stat(real, &info) != 0 || !S_ISREG(info.st_mode)) {
        free(real);
        return server_refuse(r->refusal, 400, path->text,
                             "found no such file below the server's directory of files");
    }
    assay_status rc;
    server_medium *image = add_image(r, path, &rc);
    if (image) image->path = real;
    else free(real);
    return image && (uintmax_t)info.st_size > r->context->options.limits.image_bytes ? refuse_size(r, path)
                                                                                     : rc;
}

assay_status server_images_add_url(server_reading *r, const server_path *path, json_object *url)
{
    const char *text = json_text(url);
    if (!text) return server_unexpected(r, path, url, "a URL");
    if (strncmp(text, "data:", 5) == 0)
        return add_data(r, path, text, (size_t)json_object_get_string_len(url));
    if (strncmp(text, "file:", 5) == 0) return add_file(r, path, text + 5);
    return server_refuse(r->refusal, 400, path->text,
                         "found %.40s…, expected data:image/…;base64,… or file:…: nothing is fetched", text);
}

void server_media_free(server_medium *media, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(media[i].path);
        free(media[i].bytes);
    }
    free(media);
}
