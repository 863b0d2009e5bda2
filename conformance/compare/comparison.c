/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/compare/comparison.h"

#include <stdlib.h>

const conf_verdict *conf_compared_before(const conf_comparison *c, const conf_compared_case *one)
{
    const size_t engine = c->pairs[one->pair].before;
    return one->before && engine != SIZE_MAX ? &one->before->verdicts[engine] : NULL;
}

const conf_verdict *conf_compared_after(const conf_comparison *c, const conf_compared_case *one)
{
    const size_t engine = c->pairs[one->pair].after;
    return one->after && engine != SIZE_MAX ? &one->after->verdicts[engine] : NULL;
}

void conf_comparison_free(conf_comparison *comparison)
{
    free(comparison->pairs);
    free(comparison->times);
    free(comparison->at);
    conf_strings_free(&comparison->remarks);
    *comparison = (conf_comparison){0};
}
