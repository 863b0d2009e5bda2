/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/judge/severity.h"

#include <stdio.h>

#include "conformance/judge/noise.h"

static double times_of(const conf_verdict *v)
{
    return v->measured ? v->multiple / conf_noise_limit(v->float64) : -1;
}

static double share_of(const conf_verdict *v)
{
    return v->n_rows ? (double)(v->n_rows - v->n_same_best) / (double)v->n_rows : 0;
}

const char *conf_severity_print(const conf_verdict *v, char text[CONF_SEVERITY_MAX])
{
    int n = 0;
    text[0] = '\0';
    if (v->measured) n = snprintf(text, CONF_SEVERITY_MAX, "%.3g times the bound", times_of(v));
    if (n > 0 && v->n_rows)
        (void)snprintf(text + n, CONF_SEVERITY_MAX - (size_t)n, ", another best token in %zu of %zu rows",
                       v->n_rows - v->n_same_best, v->n_rows);
    return text;
}

static int rank_of(const conf_verdict *v)
{
    if (v->outcome == CONF_BROKEN) return 3;
    switch (v->class) {
    case CONF_CLASS_MEMORY:
    case CONF_CLASS_CRASH:
    case CONF_CLASS_EXIT:
    case CONF_CLASS_HANG: return 1;
    case CONF_CLASS_REFUSED:
    case CONF_CLASS_FIXED: return 2;
    default: return 0;
    }
}

static int descend(double a, double b)
{
    return (a < b) - (a > b);
}

int conf_severity_compare(const conf_verdict *a, const conf_verdict *b)
{
    const int rank = rank_of(a) - rank_of(b), times = descend(times_of(a), times_of(b));
    return rank ? rank : times ? times : descend(share_of(a), share_of(b));
}
