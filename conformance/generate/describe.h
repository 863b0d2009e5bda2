/* What a checkpoint's files say about its prompts: for assay info.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_GENERATE_DESCRIBE_H
#define CONFORMANCE_GENERATE_DESCRIBE_H

#include <stdio.h>

/* Prints the chat template of the checkpoint `dir`: where it is, which variables it reads, and the features
 * that are not implemented; and the processor of images with its placeholder. A file that cannot be read is
 * reported in its line. */
void conf_prompt_describe(const char *dir, FILE *out);

#endif
