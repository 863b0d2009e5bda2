/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/model_name.h"

#include <string.h>

#include "gguf/container.h"

const char *conf_model_name(const char *model)
{
    const char *slash = strrchr(model, '/');
    return !gguf_is_file(model) ? "model" : slash ? slash + 1 : model;
}
