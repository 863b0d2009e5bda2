/* The pictures of a failure.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_PROFILE_PICTURES_H
#define CONFORMANCE_REPORT_PROFILE_PICTURES_H

#include <stdio.h>

#include "conformance/evaluate/profile.h"

/* Writes figures of the errors by tensor (by layer, if there are many), by sample, by position of the sample
 * with the largest error, by manner, and by size; those that have no data are left out. */
void conf_profile_print(FILE *out, const conf_profile *p);

#endif
