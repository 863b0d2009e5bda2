/* The name of a checkpoint beside a case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_MODEL_NAME_H
#define CONFORMANCE_CASE_MODEL_NAME_H

/* "model" for a directory, the name of the file for a GGUF file; borrowed from the path. */
const char *conf_model_name(const char *model);

#endif
