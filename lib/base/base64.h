/* Base64 (RFC 4648, section 4), padded, without white space.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buffer.h"

/* Appends the digits of bytes [n]. False if out of memory. */
bool base64_append(buffer *out, const char *bytes, size_t n);

/* Appends the bytes of text [n]. Fails with ASSAY_EINVAL unless base64_append makes this text, or with
 * ASSAY_ENOMEM. */
assay_status base64_decode(const char *text, size_t n, buffer *out);

#endif
