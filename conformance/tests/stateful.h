/* Cases for the test engine "stateful".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_STATEFUL_H
#define CONFORMANCE_TESTS_STATEFUL_H

/* Shapes of the case: samples, padded length, forced steps. */
enum { STATEFUL_B = 3, STATEFUL_T = 17, STATEFUL_N = 4 };

/* Writes <fault>.h5, a case of kind logits with several prompts of more than two chunks of 7 tokens, padded
 * by at most FORMULA_PADDING_MAX, and returns its path. The name of its checkpoint states the fault to the
 * engine. */
const char *stateful_write(const char *fault);

/* The same with images, of samples 0 and 1, in image-<fault>.h5 (an empty fault: image.h5). Assay's loader
 * knows the placeholder tokens of its checkpoint. */
const char *stateful_write_images(const char *fault);

/* The same, whose samples 0 and 1 are twins: of the text they share the tokens 4 … 11, after others; with
 * images they have the same tokens up to the end of the first image, which has other pixels. */
const char *stateful_write_twins(const char *fault);
const char *stateful_write_twins_with_images(const char *fault);

/* The same with one prompt of STATEFUL_LONG tokens and no forced step, of which the first and the last rows
 * of each 64 are recorded. */
enum { STATEFUL_LONG = 1029 };
const char *stateful_write_long(const char *fault);

#endif
