/* A valid item of an image or a video, of which a test changes one thing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_TESTS_IMAGE_H
#define MODEL_INPUTS_TESTS_IMAGE_H

#include "model/inputs/media_list.h"
#include "model/inputs/tests/sample.h"

enum { WIDTH = 3, PATCHES = 8 };

/* An image of 2 × 4 patches with its tensors. */
typedef struct image {
    plan plan;
    int32_t tokens[SAMPLE_MOST], grid[3], places[PATCHES + 1][2];
    float pixels[PATCHES * WIDTH];
    assay_tensor tensors[3];
    assay_item items[2];
    assay_step step;
    assay_error err;
} image;

/* tokens: letters, as in sample_tokens. */
void set_tokens(image *m, const char *letters);

/* The image with its grid; as places, of a tower that takes them; as a video with seconds. */
void make_image(image *m);
void use_places(image *m);
void use_video(image *m);

/* A change that makes a valid image invalid, and what its refusal says. */
typedef struct image_change {
    void (*change)(image *);
    assay_status status;
    const char *texts[2];
} image_change;

/* Fails the test unless the unchanged image is taken, and the changed one refused. */
void expect_refused(const image_change *of);

#endif
