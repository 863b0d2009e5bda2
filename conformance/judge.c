/* Distances, bounds and the verdict on rows of logits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/judge.h"

#include <float.h>
#include <math.h>

typedef enum mask { MASK_FINITE, MASK_NAN, MASK_PLUS, MASK_MINUS } mask;

static mask mask_of(double x)
{
    if (isnan(x)) return MASK_NAN;
    if (isinf(x)) return x > 0 ? MASK_PLUS : MASK_MINUS;
    return MASK_FINITE;
}

size_t conf_mask_difference(const double *truth, const double *found, size_t n)
{
    size_t i = 0;
    while (i < n && mask_of(truth[i]) == mask_of(found[i])) i++;
    return i;
}

double conf_max_abs(const double *a, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(a[i])) largest = fmax(largest, fabs(a[i]));
    return largest;
}

size_t conf_argmax(const double *a, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (a[i] > a[best] || (isnan(a[best]) && !isnan(a[i]))) best = i;
    return best;
}

/* e^d - 1 - d. expm1 would cancel where d is small; there the next terms of the series take its place. */
static double expm1_less_d(double d)
{
    if (fabs(d) > 1e-2) return expm1(d) - d;
    return d * d * (1.0 / 2 + d * (1.0 / 6 + d * (1.0 / 24 + d * (1.0 / 120 + d * (1.0 / 720 + d / 5040)))));
}

/* With p = softmax(t) and d = c - t:
 *     KL = Σ p ((t - lse t) - (c - lse c)) = lse c - lse t - Σ p d = log Σ p e^d - Σ p d.
 * Subtracting the mean Σ p d from every d changes no term, and with Σ p d = 0 it is
 *     KL = log1p(Σ p (e^d - 1 - d)),
 * a sum of terms that are all positive and quadratic in d: nothing cancels, where the difference of two
 * logsumexps would lose everything below 1e-16. Where d is large the sum overflows, and the difference is
 * accurate. */
double conf_kl(const double *truth, const double *found, size_t n)
{
    double peak = truth[conf_argmax(truth, n)], peak_found = found[conf_argmax(found, n)];
    double mass = 0, mass_found = 0, mean = 0, largest = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(truth[i])) continue;
        double p = exp(truth[i] - peak), d = found[i] - truth[i];
        mass += p;
        mass_found += exp(found[i] - peak_found);
        mean += p * d;
        largest = fmax(largest, d);
    }
    mean /= mass;
    if (largest - mean > 1) return fmax(0, peak_found + log(mass_found) - peak - log(mass) - mean);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(truth[i])) sum += exp(truth[i] - peak) / mass * expm1_less_d(found[i] - truth[i] - mean);
    return log1p(sum);
}

conf_distance conf_distance_of(const double *truth, const double *found, size_t n)
{
    conf_distance d = {0};
    size_t differs = conf_mask_difference(truth, found, n);
    if (differs < n) {
        d.worst = differs;
        return d;
    }
    d.same_mask = true;
    double squares = 0;
    size_t n_finite = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(truth[i])) continue;
        double e = fabs(found[i] - truth[i]);
        if (e > d.max_abs) {
            d.max_abs = e;
            d.worst = i;
        }
        squares += e * e;
        n_finite++;
    }
    if (n_finite == 0) return d;
    d.rmse = sqrt(squares / (double)n_finite);
    d.kl = sqrt(2 * conf_kl(truth, found, n));
    return d;
}

static void keep_larger(conf_distance *worst, const conf_distance *d)
{
    worst->max_abs = fmax(worst->max_abs, d->max_abs);
    worst->rmse = fmax(worst->rmse, d->rmse);
    worst->kl = fmax(worst->kl, d->kl);
}

double conf_noise_floor(double max_abs)
{
    if (max_abs == 0) return CONF_FLOOR_ULPS * (double)FLT_TRUE_MIN;
    int exponent;
    (void)frexp(max_abs, &exponent); /* max_abs in [2^(e-1), 2^e): its float32 ulp is 2^(e-24) */
    return CONF_FLOOR_ULPS * ldexp(1, exponent - FLT_MANT_DIG);
}

double conf_unit_float32(double noise, double max_abs)
{
    return fmax(noise, conf_noise_floor(max_abs));
}

conf_distance conf_noise_of(const double *truth, const double *float32, size_t n_rows, size_t n_cols)
{
    conf_distance noise = {.same_mask = true};
    for (size_t r = 0; r < n_rows; r++) {
        conf_distance d = conf_distance_of(truth + r * n_cols, float32 + r * n_cols, n_cols);
        keep_larger(&noise, &d);
    }
    return noise;
}

conf_bounds conf_bounds_float32(const double *truth, const double *float32, size_t n_rows, size_t n_cols)
{
    conf_distance noise = conf_noise_of(truth, float32, n_rows, n_cols);
    double max_abs = conf_max_abs(truth, n_rows * n_cols);
    return (conf_bounds){.max_abs = conf_unit_float32(noise.max_abs, max_abs),
                         .rmse = conf_unit_float32(noise.rmse, max_abs),
                         .kl = conf_unit_float32(noise.kl, max_abs),
                         .limit = CONF_NOISE_MULTIPLE};
}

conf_bounds conf_bounds_float64(const double *truth, size_t n_rows, size_t n_cols, double relative)
{
    double bound = fmax(relative * conf_max_abs(truth, n_rows * n_cols), DBL_TRUE_MIN);
    return (conf_bounds){.max_abs = bound, .rmse = bound, .kl = bound, .limit = 1};
}

bool conf_is_near_tie(const double *truth, const double *found, size_t best, size_t other, double epsilon)
{
    return truth[best] - truth[other] <= 2 * epsilon && found[other] - found[best] <= 2 * epsilon;
}

const char *conf_rule_name(conf_rule rule)
{
    static const char *const names[] = {"nothing", "NaN and infinity", "largest error", "RMSE",
                                        "KL divergence"};
    return names[rule];
}

/* The rule that a row breaks, and by how many units. That the best token is another needs no rule of its own:
 * within the bound ε of the largest error t_r - t_c <= (c_r + ε) - (c_c - ε) <= 2ε, and the other way round,
 * a near tie. */
static conf_rule judge_row(const conf_distance *d, const conf_bounds *bounds, double *multiple)
{
    *multiple = INFINITY;
    if (!d->same_mask) return CONF_RULE_MASK;
    *multiple = d->max_abs / bounds->max_abs;
    if (!(*multiple <= bounds->limit)) return CONF_RULE_MAX_ABS;
    *multiple = d->rmse / bounds->rmse;
    if (!(*multiple <= bounds->limit)) return CONF_RULE_RMSE;
    *multiple = d->kl / bounds->kl;
    if (!(*multiple <= bounds->limit)) return CONF_RULE_KL;
    return CONF_RULE_NONE;
}

conf_logits_judgement conf_judge_logits(const double *truth, const double *found, size_t n_rows,
                                        size_t n_cols, const conf_bounds *bounds)
{
    conf_logits_judgement j = {.worst = {.same_mask = true}};
    double broken = 0;
    for (size_t r = 0; r < n_rows; r++) {
        const double *t = truth + r * n_cols, *c = found + r * n_cols;
        conf_distance d = conf_distance_of(t, c, n_cols);
        double multiple;
        conf_rule rule = judge_row(&d, bounds, &multiple);
        if (d.same_mask) {
            keep_larger(&j.worst, &d);
            j.n_top1 += conf_argmax(t, n_cols) == conf_argmax(c, n_cols);
        } else {
            j.worst.same_mask = false;
        }
        if (rule == CONF_RULE_NONE) continue;
        broken = fmax(broken, multiple);
        if (j.rule != CONF_RULE_NONE) continue;
        j.rule = rule;
        j.row = r;
        j.col = d.worst;
    }
    j.multiple = j.rule == CONF_RULE_NONE ? j.worst.max_abs / bounds->max_abs : broken;
    return j;
}
