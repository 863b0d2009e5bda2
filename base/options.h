/* The options structs of the ABI, as this build knows them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <assay/engine.h>

/* Copies the members that the caller was built with; the others take their default. Fails with
 * ASSAY_EUNSUPPORTED where the caller sets a member that this build does not know. */
assay_status model_options_read(const assay_model_options *given, assay_model_options *out, assay_error *err);

#endif
