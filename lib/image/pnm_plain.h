/* The numbers of a plain portable image.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_PNM_PLAIN_H
#define IMAGE_PNM_PLAIN_H

#include "image/pnm_head.h"

/* Reads n_samples numbers from data[0..n), which follows the head, as Pillow does: in blocks of 1 MiB,
 * without comments, which end no number; the digits of bits need no white space between them. put: called
 * with each sample, 0 to head->maxval (bits: 0 or 1). Fails with ASSAY_EFORMAT for another number, or fewer;
 * ASSAY_ENOMEM. */
assay_status pnm_plain_read(const pnm_head *head, const uint8_t *data, size_t n, size_t n_samples,
                            void (*put)(void *user, size_t sample), void *user);

#endif
