/* SPDX-License-Identifier: Apache-2.0 */
#include "template/output.h"

void tpl_output_add(tpl_output *out, tpl_value result, const char *block)
{
    if (result.kind == TPL_STRING) {
        tpl_add(&out->text, result.text.at, result.text.n);
        return;
    }
    if (out->block) return;
    out->block = block;
    out->type = tpl_type_name(result);
    out->line = out->text.t->line;
}

tpl_value tpl_output_close(tpl_output *out)
{
    tpl *t = out->text.t;
    if (out->block && t->status == ASSAY_OK) {
        t->line = out->line;
        (void)tpl_fail(t, ASSAY_EFORMAT,
                       "the result of a %s block: found a value of type %s, expected a text", out->block,
                       out->type);
    }
    return tpl_built(&out->text);
}
