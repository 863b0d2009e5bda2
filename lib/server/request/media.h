/* The images and audio of a request.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_MEDIA_H
#define SERVER_REQUEST_MEDIA_H

#include "server/request/reading.h"

typedef enum server_medium_kind { SERVER_IMAGES, SERVER_AUDIO } server_medium_kind;

/* Adds an image to r->images, or an audio clip to r->audio clips. path: of the member, for messages. NULL
 * after a failure, which *rc is: status 400 if the model takes none of the kind, 413 for too many. */
server_medium *server_medium_add(server_reading *r, const server_path *path, server_medium_kind kind,
                                 assay_status *rc);

/* The same, with the bytes that base64 gives (RFC 4648, section 4), without white space, padded. Status 400
 * for other text and for no bytes, 413 for too many bytes. */
assay_status server_medium_add_base64(server_reading *r, const server_path *path, server_medium_kind kind,
                                      const char *text, size_t n);

/* Refuses one that has too many bytes. */
assay_status server_medium_refuse_size(const server_reading *r, const server_path *path,
                                       server_medium_kind kind);

void server_media_free(server_medium *media, size_t n);

#endif
