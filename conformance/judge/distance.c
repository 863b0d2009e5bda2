/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/judge/distance.h"

#include <float.h>
#include <math.h>

typedef enum mask { MASK_FINITE, MASK_NAN, MASK_PLUS, MASK_MINUS } mask;

static mask mask_of(double x)
{
    if (isnan(x)) return MASK_NAN;
    if (isinf(x)) return x > 0 ? MASK_PLUS : MASK_MINUS;
    return MASK_FINITE;
}

/* Rows are processed in blocks of this many elements, so that a float32 row needs no full copy in
 * double. */
#define BLOCK 512

/* Elements [at, at + n) of a row as double, n <= BLOCK: borrowed from an F64 row, converted into block
 * [BLOCK] otherwise. */
static const double *widen_block(const conf_row *row, size_t at, size_t n, double *block)
{
    if (row->dtype == ASSAY_F64) return (const double *)row->data + at;
    const float *narrow = (const float *)row->data + at;
    for (size_t i = 0; i < n; i++) block[i] = (double)narrow[i];
    return block;
}

static size_t block_length(size_t at, size_t n)
{
    return n - at < BLOCK ? n - at : BLOCK;
}

conf_row conf_row_of_double(const double *a)
{
    return (conf_row){.dtype = ASSAY_F64, .data = a};
}

double conf_row_at(const conf_row *row, size_t i)
{
    double block[1];
    return widen_block(row, i, 1, block)[0];
}

size_t conf_row_mask_difference(const conf_row *truth, const conf_row *found, size_t n)
{
    double blocks[2][BLOCK];
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t k = block_length(at, n);
        const double *t = widen_block(truth, at, k, blocks[0]), *c = widen_block(found, at, k, blocks[1]);
        for (size_t i = 0; i < k; i++)
            if (mask_of(t[i]) != mask_of(c[i])) return at + i;
    }
    return n;
}

size_t conf_mask_difference(const double *truth, const double *found, size_t n)
{
    conf_row t = conf_row_of_double(truth), c = conf_row_of_double(found);
    return conf_row_mask_difference(&t, &c, n);
}

double conf_row_max_abs(const conf_row *row, size_t n)
{
    double block[BLOCK], largest = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t k = block_length(at, n);
        const double *a = widen_block(row, at, k, block);
        for (size_t i = 0; i < k; i++)
            if (isfinite(a[i]) && fabs(a[i]) > largest) largest = fabs(a[i]);
    }
    return largest;
}

double conf_max_abs(const double *a, size_t n)
{
    conf_row row = conf_row_of_double(a);
    return conf_row_max_abs(&row, n);
}

size_t conf_row_argmax(const conf_row *row, size_t n)
{
    double block[BLOCK], best = (double)NAN;
    size_t best_at = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t k = block_length(at, n);
        const double *a = widen_block(row, at, k, block);
        for (size_t i = 0; i < k; i++) {
            if (!(a[i] > best) && !(isnan(best) && !isnan(a[i]))) continue;
            best = a[i];
            best_at = at + i;
        }
    }
    return best_at;
}

size_t conf_argmax(const double *a, size_t n)
{
    conf_row row = conf_row_of_double(a);
    return conf_row_argmax(&row, n);
}

/* e^d - 1 - d. Uses the Taylor series for small d, for which expm1(d) - d would cancel. */
static double expm1_less_d(double d)
{
    if (fabs(d) > 1e-2) return expm1(d) - d;
    return d * d * (1.0 / 2 + d * (1.0 / 6 + d * (1.0 / 24 + d * (1.0 / 120 + d * (1.0 / 720 + d / 5040)))));
}

/* KL(softmax(truth) ‖ softmax(found)). With p = softmax(t), d = c - t and lse = log-sum-exp:
 *     KL = Σ p ((t - lse t) - (c - lse c)) = lse c - lse t - Σ p d = log Σ p e^d - Σ p d.
 * Subtracting the mean Σ p d from every d does not change KL. Then Σ p d = 0 and
 *     KL = log1p(Σ p (e^d - 1 - d)),
 * a sum of terms that are all positive and quadratic in d: nothing cancels, whereas the difference of
 * two log-sum-exps would lose everything below 1e-16. For large d the sum would overflow; the
 * difference is accurate there and used instead. */
static double row_kl(const conf_row *truth, const conf_row *found, size_t n)
{
    double blocks[2][BLOCK];
    double peak = conf_row_at(truth, conf_row_argmax(truth, n));
    double mass = 0, mean = 0, largest = -INFINITY;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t k = block_length(at, n);
        const double *t = widen_block(truth, at, k, blocks[0]), *c = widen_block(found, at, k, blocks[1]);
        for (size_t i = 0; i < k; i++) {
            if (!isfinite(t[i])) continue;
            double p = exp(t[i] - peak), d = c[i] - t[i];
            mass += p;
            mean += p * d;
            largest = fmax(largest, d);
        }
    }
    mean /= mass;
    bool far = largest - mean > 1;
    double peak_found = far ? conf_row_at(found, conf_row_argmax(found, n)) : 0, mass_found = 0, sum = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t k = block_length(at, n);
        const double *t = widen_block(truth, at, k, blocks[0]), *c = widen_block(found, at, k, blocks[1]);
        for (size_t i = 0; i < k; i++) {
            if (!isfinite(t[i])) continue;
            if (far) mass_found += exp(c[i] - peak_found);
            else sum += exp(t[i] - peak) / mass * expm1_less_d(c[i] - t[i] - mean);
        }
    }
    return far ? fmax(0, peak_found + log(mass_found) - peak - log(mass) - mean) : log1p(sum);
}

double conf_kl(const double *truth, const double *found, size_t n)
{
    conf_row t = conf_row_of_double(truth), c = conf_row_of_double(found);
    return row_kl(&t, &c, n);
}

conf_distance conf_row_distance_but_kl(const conf_row *truth, const conf_row *found, size_t n)
{
    conf_distance d = {0};
    size_t differs = conf_row_mask_difference(truth, found, n);
    if (differs < n) {
        d.worst = differs;
        return d;
    }
    d.same_mask = true;
    double blocks[2][BLOCK], squares = 0;
    size_t n_finite = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t k = block_length(at, n);
        const double *t = widen_block(truth, at, k, blocks[0]), *c = widen_block(found, at, k, blocks[1]);
        for (size_t i = 0; i < k; i++) {
            if (!isfinite(t[i])) continue;
            double e = fabs(c[i] - t[i]);
            if (e > d.max_abs) {
                d.max_abs = e;
                d.worst = at + i;
            }
            squares += e * e;
            n_finite++;
        }
    }
    if (d.max_abs > 0) d.rmse = sqrt(squares / (double)n_finite);
    return d;
}

conf_distance conf_row_distance(const conf_row *truth, const conf_row *found, size_t n)
{
    conf_distance d = conf_row_distance_but_kl(truth, found, n);
    if (d.max_abs > 0) d.kl = sqrt(2 * row_kl(truth, found, n)); /* of equal rows it is 0 */
    return d;
}

conf_distance conf_distance_of(const double *truth, const double *found, size_t n)
{
    conf_row t = conf_row_of_double(truth), c = conf_row_of_double(found);
    return conf_row_distance(&t, &c, n);
}

void conf_distance_keep_larger(conf_distance *worst, const conf_distance *d)
{
    worst->max_abs = fmax(worst->max_abs, d->max_abs);
    worst->rmse = fmax(worst->rmse, d->rmse);
    worst->kl = fmax(worst->kl, d->kl);
}
