/* From the bytes of an image file to pixels.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_DECODE_H
#define IMAGE_DECODE_H

#include "image/pixels.h"

/* Decodes data[0..n), a PNG, JPEG, WebP, GIF, BMP, PBM, PGM, PPM or PFM file, recognised by its first bytes,
 * as load_image of transformers 5.23 does with Pillow 13.0: the orientation of EXIF or XMP data is applied,
 * and the result is convert("RGB"): alpha is dropped, 16-bit colours keep their upper byte, 16-bit grays are
 * clipped to 255. Of an animation the first frame is decoded. name: for messages. Fails with ASSAY_EFORMAT
 * for data that Pillow refuses as damaged, truncated or too large, ASSAY_EUNSUPPORTED for another format, an
 * unsupported kind of one, or too large an image (before its pixels are allocated), or with ASSAY_ENOMEM.
 * *out is untouched on failure; free it with image_pixels_free. */
assay_status image_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                          assay_error *err);

#endif
