/* Reads the recorded arrays of image/tests/vectors and audio/tests/vectors (pixels.py and audio.py of
 * scripts/record/preprocess).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TESTS_RECORDED_H
#define BASE_TESTS_RECORDED_H

#include <stddef.h>
#include <stdint.h>

#define RECORDED_NUMBERS_MAX 16

typedef struct recorded {
    char name[64];
    long numbers[RECORDED_NUMBERS_MAX]; /* [n_numbers] */
    size_t n_numbers, n_bytes;
    uint8_t *bytes; /* [n_bytes], borrowed until the next record is read */
} recorded;

/* Calls fn with each record of a file: a path below the source tree or, if ASSAY_VECTORS names a directory,
 * the file of the same name there. Returns their number; any failure fails the test. */
size_t recorded_each(const char *file, void (*fn)(const recorded *record));

#endif
