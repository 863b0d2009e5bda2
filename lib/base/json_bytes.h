/* Bytes as a member of a JSON object: NAME is a string if they are UTF-8, so that people can read and compare
 * it; otherwise NAME_base64 is a string of base64.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_JSON_BYTES_H
#define BASE_JSON_BYTES_H

#include "base/buffer.h"

#include <assay/status.h>
#include <json-c/json.h>

/* False if out of memory; n is at most INT_MAX / 2; bytes may be NULL if n is 0. */
bool json_bytes_add(json_object *object, const char *name, const char *bytes, size_t n);

/* Appends the bytes to *out. Fails with ASSAY_EFORMAT, naming `place` and the member, if the object has
 * neither or both members, or one of another form; or with ASSAY_ENOMEM. */
assay_status json_bytes_read(const char *place, json_object *object, const char *name, buffer *out,
                             assay_error *err);

#endif
