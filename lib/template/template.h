/* Chat templates: renders the Jinja of a checkpoint as transformers 5 does (jinja2's
 * ImmutableSandboxedEnvironment with trim_blocks, lstrip_blocks, loop controls and the tag `generation`).
 * Whatever it does not know is refused by name.
 *
 * Not implemented: the statements include, import, from, extends, block and autoescape; the filters pprint,
 * random and urlize; the globals cycler, joiner and lipsum; integers of more than 64 bits; the text of
 * values whose text has an address; methods of strings that published templates do not call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_TEMPLATE_H
#define TEMPLATE_TEMPLATE_H

#include <assay/serving.h>

/* assay_serving.template_render. */
assay_status template_render(const assay_template_options *options, const assay_byte_sink *sink,
                             assay_error *err);

#endif
