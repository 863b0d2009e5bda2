/* Typed members of a config.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_CONFIG_VALUE_H
#define MODEL_CHECKPOINT_CONFIG_VALUE_H

#include "model/checkpoint/config.h"

/* A positive integer below 2^31. The second form takes the published class's default and notes it. */
size_t config_size(config *c, const char *name);
size_t config_size_or(config *c, const char *name, size_t fallback);

/* A non-negative integer below 2^31. */
size_t config_count_or(config *c, const char *name, size_t fallback);

/* A finite number. */
double config_real(config *c, const char *name);

/* One above 0, and one of at least 0. */
double config_positive(config *c, const char *name);
double config_positive_or(config *c, const char *name, double fallback);
double config_not_negative_or(config *c, const char *name, double fallback);
bool config_flag_or(config *c, const char *name, bool fallback);

/* A string without U+0000, which would cut it short. It lives as long as the document. */
const char *config_text(config *c, const char *name);
const char *config_text_or(config *c, const char *name, const char *fallback);

/* Reads a list of n numbers, or one number for all n if `scalar` is set. Returns false, with out
 * untouched, if the member is absent or the reader has failed. */
bool config_reals(config *c, const char *name, bool scalar, double *out, size_t n);
bool config_sizes(config *c, const char *name, bool scalar, size_t *out, size_t n);

/* Fails with ASSAY_EUNSUPPORTED unless the member is absent or the size `value`, which the model has anyway.
 * why: ends the message, as "that of head_dim". */
void config_expect_size(config *c, const char *name, size_t value, const char *why);

/* Fails with ASSAY_EUNSUPPORTED unless the member is absent, null, false, zero or an empty list: for members
 * that would change the mathematics in a way that is not implemented. */
void config_refuse(config *c, const char *name);

#endif
