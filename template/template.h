/* Chat templates: renders the Jinja of a checkpoint as transformers 5 does (jinja2's
 * ImmutableSandboxedEnvironment with trim_blocks, lstrip_blocks, loop controls and the tag `generation`).
 * Whatever it does not know is refused by name.
 *
 * Known differences from jinja2: lazy filters (map, select, …) are evaluated at once, so that an error in an
 * element that is never read is reported; a name that a loop or a macro sets, and that a block within it
 * reads before, has the value of the caller's variable there, where jinja2 finds it undefined; an unknown
 * filter is an error where it is applied.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_TEMPLATE_H
#define TEMPLATE_TEMPLATE_H

#include <assay/serving.h>

/* assay_serving.template_render. */
assay_status template_render(const assay_template_options *options, const assay_byte_sink *sink,
                             assay_error *err);

#endif
