/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/images.h"

#include "server/request/media.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    return server_medium_add_base64(r, path, SERVER_IMAGES, comma + 1, n - n_head - 1);
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
    server_medium *image = server_medium_add(r, path, SERVER_IMAGES, &rc);
    if (image) image->path = real;
    else free(real);
    return image && (uintmax_t)info.st_size > r->context->options.limits.image_bytes
               ? server_medium_refuse_size(r, path, SERVER_IMAGES)
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
