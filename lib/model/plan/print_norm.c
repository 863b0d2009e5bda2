/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/print_norm.h"

void plan_print_norm(FILE *out, const char *name, const plan_norm *norm)
{
    if (!norm->present) return;
    fprintf(out, " %s%s", name, norm->weight.data ? "" : " (unweighted)");
    if (norm->kind == PLAN_LAYER_NORM) fprintf(out, " (LayerNorm%s)", norm->bias.data ? ", bias" : "");
    if (norm->offset != 0) fprintf(out, " (%g + w)", norm->offset);
}
