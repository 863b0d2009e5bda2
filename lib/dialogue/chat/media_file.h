/* The bytes of an image or of an audio clip: those of a file, or of a request.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_CHAT_MEDIA_FILE_H
#define DIALOGUE_CHAT_MEDIA_FILE_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name:  for messages; the path of a file if bytes is NULL.
 * bytes: [n], the contents of a file; borrowed. */
typedef struct serve_media_file {
    const char *name;
    const uint8_t *bytes;
    size_t n;
} serve_media_file;

/* What the items of one prompt may take. file: the most bytes that are read of a file. arrays: the most bytes
 * of the arrays of all items. goes_on: asked before each image or audio clip is decoded, and before it is
 * preprocessed; false ends the call; NULL: it goes on. */
typedef struct serve_media_limits {
    size_t file, arrays;
    bool (*goes_on)(void *context);
    void *context;
} serve_media_limits;

/* Fails with ASSAY_ESTOPPED, naming the file, if goes_on ends the call. */
assay_status serve_media_go_on(const serve_media_limits *limits, const char *name, assay_error *err);

/* *bytes: [*n], the contents; *owned: what the caller frees after it has used them, which may be NULL.
 * file_max: the most bytes that are read of a file. Fails as file_read does. */
assay_status serve_media_file_read(const serve_media_file *file, size_t file_max, const uint8_t **bytes,
                                   size_t *n, char **owned, assay_error *err);

#endif
