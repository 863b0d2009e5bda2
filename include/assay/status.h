/* Status codes and error texts: what every fallible function of Assay's public ABI reports.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_STATUS_H
#define ASSAY_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum assay_status {
    ASSAY_OK = 0,
    ASSAY_EINVAL,       /* the caller's argument: a token outside the vocabulary, a length of zero */
    ASSAY_EIO,          /* a file that cannot be opened, read or mapped */
    ASSAY_EFORMAT,      /* a file that breaks its format, or members that contradict each other */
    ASSAY_EUNSUPPORTED, /* well-formed, but asks for something that is not implemented */
    ASSAY_ENOMEM,       /* out of memory */
    ASSAY_EINTERNAL,    /* a fault of the engine or of the harness itself */
    ASSAY_ESTREAM,      /* work for a stream that belongs to another thread */
    ASSAY_ETIMEDOUT,    /* a timeout */
    ASSAY_ESTOPPED      /* a callback of the caller ended the call */
} assay_status;

/* The text of a failure: one line, no newline at the end, always terminated. It names the file and the
 * member, what was found and what was expected. Owned by the caller, who may pass NULL for any
 * `assay_error *`; untouched when a function succeeds. */
typedef struct assay_error {
    assay_status status;
    char text[1020];
} assay_error;

#ifdef __cplusplus
}
#endif

#endif
