/* The formats of safetensors files that the sweep draws, as configs state them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_STORED_SETTINGS_H
#define CONFORMANCE_SWEEP_STORED_SETTINGS_H

#include "model/formats/format.h"

/* Their number; 0 in a build with SWEEP_WITHOUT_LIBRARIES (scripts/check-emulated), since libraries read
 * configs. */
size_t sweep_n_settings(void);
const char *sweep_setting_name(size_t setting);

/* The module of a setting. False: its text is refused, which check_stored_formats would find. */
bool sweep_setting_read(size_t setting, format_module *out);

#endif
