/* Sizes of images behind the serving ABI.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_IMAGE_SIZE_H
#define DIALOGUE_IMAGE_SIZE_H

#include <assay/serving.h>

/* The member image_size of assay_serving. */
assay_status serve_image_size(const assay_image_options *options, assay_image_size *out, assay_error *err);

#endif
