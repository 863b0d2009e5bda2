/* The prompt of assay generate for people, and as members of a JSON document.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_GENERATE_SHOW_H
#define CONFORMANCE_GENERATE_SHOW_H

#include <json-c/json.h>

#include <stdbool.h>
#include <stdio.h>

#include "base/shown.h"
#include "conformance/generate/prompt.h"

/* Writes what the user did not ask for and should know: that images are shown to a model without a chat
 * template. With options->verbose also the template's place, the size and the number of tokens of each image,
 * and the prompt before its placeholders are expanded, cleaned as by shown_clean. */
void conf_prompt_show(const conf_prompt *prompt, const conf_options *options, FILE *out);

/* Adds the members prompt, chat_template and images. False if out of memory. */
bool conf_prompt_add(json_object *to, const conf_prompt *prompt, const conf_options *options);

#endif
