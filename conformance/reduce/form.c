/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/form.h"

const conf_form *conf_form_of(const conf_kind_info *kind)
{
    static const conf_form *const forms[] = {&conf_form_prompts, &conf_form_positions, &conf_form_vectors};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i]->takes(kind)) return forms[i];
    return NULL;
}
