/* The audio clips of a request, as base64.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_AUDIO_H
#define SERVER_REQUEST_AUDIO_H

#include "server/request/reading.h"

/* Adds the audio clip of a content part {"type": "input_audio", "input_audio": {"data": base64, "format":
 * "wav" or "flac"}} to r->audio clips. path: of the part, for messages. Status 400 for another object, for
 * text that is no base64, for a file of another format, and if the model takes no audio clips; 413 for too
 * many or too large audio clips: limits are those of images. */
assay_status server_audio_add(server_reading *r, const server_path *path, json_object *part);

#endif
