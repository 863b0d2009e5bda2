/* The methods of strings.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_METHODS_TEXT_H
#define TEMPLATE_VALUES_METHODS_TEXT_H

#include "template/values/method_row.h"

/* All methods of Python's str but those with underscores. Results of a safe string are to be marked as safe
 * by the caller; what it escapes (markupsafe.Markup) is escaped here. */
extern const tpl_method_row tpl_text_methods[];

#endif
