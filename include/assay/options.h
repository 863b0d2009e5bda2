/* Options structs of the ABI. Each begins with `uint32_t size`, the sizeof that the caller was built with,
 * and has no padding bytes. Zero is the default of every member, so that a struct can grow at its end:
 * members beyond the caller's size take their default, and a callee refuses a member beyond its own size
 * that is not zero, as well as a `reserved` member that is not zero. A NULL pointer stands for a struct of
 * defaults.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_OPTIONS_H
#define ASSAY_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <assay/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies the caller's options into a struct of the callee.
 * out:   [size] bytes, the callee's struct.
 * given: the caller's struct, borrowed; NULL: defaults.
 * what:  name of the struct, for the message.
 * Fails with ASSAY_EINVAL if given->size is smaller than the member `size` itself, and with
 * ASSAY_EUNSUPPORTED if a byte beyond `size` is not zero. Does not check `reserved` members: the callee
 * does. */
static inline assay_status assay_options_read(void *out, uint32_t size, const void *given, const char *what,
                                              assay_error *err)
{
    const unsigned char *bytes = (const unsigned char *)given;
    uint32_t given_size = size;
    if (bytes) memcpy(&given_size, bytes, sizeof given_size);
    if (given_size < sizeof given_size) {
        if (err) {
            err->status = ASSAY_EINVAL;
            (void)snprintf(err->text, sizeof err->text, "%s: size is %lu, expected at least %lu", what,
                           (unsigned long)given_size, (unsigned long)sizeof given_size);
        }
        return ASSAY_EINVAL;
    }
    for (uint32_t i = size; bytes && i < given_size; i++) {
        if (bytes[i] == 0) continue;
        if (err) {
            err->status = ASSAY_EUNSUPPORTED;
            (void)snprintf(err->text, sizeof err->text,
                           "%s: the member at byte %lu is set, and only the first %lu bytes are known", what,
                           (unsigned long)i, (unsigned long)size);
        }
        return ASSAY_EUNSUPPORTED;
    }
    memset(out, 0, size);
    if (bytes) memcpy(out, bytes, given_size < size ? given_size : size);
    memcpy(out, &size, sizeof size);
    return ASSAY_OK;
}

#ifdef __cplusplus
}
#endif

#endif
