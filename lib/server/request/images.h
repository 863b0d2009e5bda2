/* The images of a request: data URLs, and files below the server's directory of files. Nothing is
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

#endif
