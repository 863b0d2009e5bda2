/* The images of a request: data URLs, base64, and files below the server's directory of files. Nothing is
 * fetched from a network.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_IMAGES_H
#define SERVER_REQUEST_IMAGES_H

#include "server/request/reading.h"

/* Adds the image of a URL to r->images: "data:image/png;base64,…", or "file:" and an absolute path, or one
 * relative to the directory of files; its real path, after symbolic links, must be below that directory.
 * path: of the member, for messages. Status 400 for a URL of another kind or without a readable image file,
 * 413 for too many or too large images. */
assay_status server_images_add_url(server_reading *r, const server_path *path, json_object *url);

/* Adds an image that base64 gives. */
assay_status server_images_add_base64(server_reading *r, const server_path *path, const char *text, size_t n);

/* Frees images or sounds. */
void server_media_free(server_medium *media, size_t n);

/* Decodes base64 (RFC 4648, section 4), without white space, padded, to *out, [*n], which the caller frees.
 * ASSAY_EINVAL for other text, ASSAY_ENOMEM. */
assay_status server_base64_decode(const char *text, size_t n, uint8_t **out, size_t *n_out);

#endif
