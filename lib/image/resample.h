/* Resizing as PIL's Image.resize does it on 8-bit channels: antialiased filters, two passes, and 8-bit values
 * between them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_RESAMPLE_H
#define IMAGE_RESAMPLE_H

#include "image/pixels.h"
#include "image/settings.h"

/* Bit-identical to Pillow 13.0 (src/libImaging/Resample.c): a filter is stretched by the scale factor where
 * an axis shrinks; weights are normalised in double and rounded to 22 fraction bits, half away from zero;
 * sums are rounded half up and clipped to 0 … 255. An axis that keeps its length is not filtered. The
 * horizontal pass is the first, unless the height shrinks and the width grows. docs/images.md compares that
 * with torchvision. The bicubic filter is that of Keys 1981 with a = -0.5. out: made by the call, freed by
 * the caller with image_pixels_free; untouched on failure. Fails as image_pixels_open does. */
assay_status image_resample(const image_pixels *in, size_t height, size_t width, image_filter filter,
                            image_pixels *out, assay_error *err);

#endif
