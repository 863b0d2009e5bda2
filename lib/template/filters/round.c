/* SPDX-License-Identifier: Apache-2.0 */
#include "template/filters/round.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "template/values/integer.h"
#include "template/values/operate.h"

/* Beyond these numbers of decimals a double stays as it is, or becomes zero. */
#define DECIMALS_MAX 323
#define DECIMALS_MIN (-308)

static tpl_value operate(tpl *t, char c, tpl_value a, tpl_value b)
{
    return tpl_binary(t, (assay_text){.at = &c, .n = 1}, a, b);
}

static tpl_value power_of_ten(tpl *t, tpl_value exponent)
{
    return tpl_binary(t, (assay_text){.at = "**", .n = 2}, tpl_int(10), exponent);
}

/* A multiple of 10**n next to v + fraction, halves to even; fraction: whether something is between v and the
 * next integer away from zero. */
static tpl_value round_integer(tpl *t, tpl_value v, int64_t n, bool fraction)
{
    const bool negative = tpl_integer_is_negative(v);
    const tpl_value unit = power_of_ten(t, tpl_int(n)), size = negative ? tpl_negate(t, v, true) : v;
    const tpl_value rest = operate(t, '%', size, unit), down = operate(t, '-', size, rest);
    const tpl_value twice = operate(t, '*', rest, tpl_int(2));
    if (t->status != ASSAY_OK) return (tpl_value){0};
    const int order = tpl_integer_compare(twice, unit);
    const bool odd = tpl_integer_is_odd(tpl_integer_operate(t, '/', true, down, unit));
    const tpl_value near =
        order > 0 || (order == 0 && (fraction || odd)) ? operate(t, '+', down, unit) : down;
    return negative ? tpl_negate(t, near, true) : near;
}

static tpl_value round_real(tpl *t, double real, int64_t decimals)
{
    char text[DECIMALS_MAX + 400];
    if (!isfinite(real) || decimals > DECIMALS_MAX) return tpl_float(real);
    if (decimals < DECIMALS_MIN) return tpl_float(copysign(0.0, real));
    if (decimals < 0) {
        const tpl_value whole = tpl_integer_truncated(t, real);
        const tpl_value near = round_integer(t, whole, -decimals, trunc(real) != real);
        return tpl_float(t->status == ASSAY_OK ? copysign(tpl_real(t, near), real) : 0);
    }
    (void)snprintf(text, sizeof text, "%.*f", (int)decimals, real);
    return tpl_float(strtod(text, NULL));
}

tpl_value tpl_round(tpl *t, tpl_value v, tpl_value precision)
{
    if (!tpl_is_number(v)) return tpl_fail_type(t, v, "round");
    if (precision.kind != TPL_NONE && !tpl_is_whole(precision))
        return tpl_fail_type(t, precision, "round: precision");
    if (precision.kind == TPL_NONE && v.kind == TPL_FLOAT && !isfinite(v.real))
        return tpl_fail_type(t, v, "round: a number that is not finite, to an integer");
    if (precision.kind == TPL_NONE && v.kind == TPL_FLOAT) return tpl_integer_truncated(t, nearbyint(v.real));
    const int64_t decimals = precision.kind == TPL_NONE ? 0 : tpl_whole(precision);
    if (v.kind == TPL_FLOAT) return round_real(t, v.real, decimals);
    return decimals < 0 ? round_integer(t, v, -decimals, false) : tpl_negate(t, v, false);
}

tpl_value tpl_round_up_or_down(tpl *t, tpl_value v, tpl_value precision, bool up)
{
    if (!tpl_is_number(v)) return tpl_fail_type(t, v, "round");
    if (precision.kind == TPL_FLOAT)
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "round: a precision of type float is not supported");
    if (!tpl_is_whole(precision)) return tpl_fail_type(t, precision, "round: precision");
    const tpl_value unit = power_of_ten(t, precision);
    tpl_value scaled = operate(t, '*', v, unit);
    if (scaled.kind == TPL_FLOAT && !isfinite(scaled.real))
        return tpl_fail_type(t, scaled, "round: a number that is not finite, to an integer");
    if (scaled.kind == TPL_FLOAT)
        scaled = tpl_integer_truncated(t, up ? ceil(scaled.real) : floor(scaled.real));
    return operate(t, '/', scaled, unit);
}
