/* Reading the options structs of the ABI, which begin with their size.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <assay/engine.h>

/* Copies the members within the caller's struct size; the others take their default. Fails with
 * ASSAY_EUNSUPPORTED if the caller sets a member that this build does not know. */
assay_status model_options_read(const assay_model_options *given, assay_model_options *out, assay_error *err);

#endif
