/* The sounds of a request, as base64.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_SOUNDS_H
#define SERVER_REQUEST_SOUNDS_H

#include "server/request/reading.h"

/* Adds the sound of a content part {"type": "input_audio", "input_audio": {"data": base64, "format": "wav" or
 * "flac"}} to r->sounds. path: of the part, for messages. Status 400 for another object, for text that is no
 * base64, for a file of another format, and if the model takes no sounds; 413 for too many or too large
 * sounds: limits are those of images. */
assay_status server_sounds_add(server_reading *r, const server_path *path, json_object *part);

#endif
