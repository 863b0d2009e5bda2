/* Reads the recorded arrays of image/tests/vectors (scripts/record/preprocess/pixels.py).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_TESTS_RECORDED_H
#define IMAGE_TESTS_RECORDED_H

#include <stddef.h>
#include <stdint.h>

#define RECORDED_NUMBERS_MAX 16

typedef struct recorded {
    char name[32];
    long numbers[RECORDED_NUMBERS_MAX]; /* [n_numbers] */
    size_t n_numbers, n_bytes;
    uint8_t *bytes; /* [n_bytes], borrowed until the next record is read */
} recorded;

/* Calls fn with each record of a file: $ASSAY_IMAGE_VECTORS/file, or image/tests/vectors/file in the source
 * tree. Returns their number; any failure fails the test. */
size_t recorded_each(const char *file, void (*fn)(const recorded *record));

#endif
