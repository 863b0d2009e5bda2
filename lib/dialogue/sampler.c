/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/sampler.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* A token that may still be drawn. */
typedef struct candidate {
    int32_t id;
    double weight; /* exp(logit - best logit); 1 for the best */
} candidate;

struct serve_sampler {
    serve_sampling sampling;
    size_t vocab;
    double *logit;         /* [vocab] */
    candidate *candidates; /* [vocab] */
    size_t n;              /* of the remaining candidates */
    unsigned char *seen;   /* [vocab], NULL if there is no penalty */
};

const serve_sampling serve_sampling_greedy = {.top_p = 1, .repetition_penalty = 1};

static assay_status check_sampling(const serve_sampling *p, assay_error *err)
{
    if (!(p->temperature >= 0) || isinf(p->temperature))
        return assay_fail(err, ASSAY_EINVAL, "temperature: found %g, expected 0 or more", p->temperature);
    if (!(p->top_p > 0 && p->top_p <= 1))
        return assay_fail(err, ASSAY_EINVAL, "top-p: found %g, expected more than 0 and at most 1", p->top_p);
    if (!(p->min_p >= 0 && p->min_p <= 1))
        return assay_fail(err, ASSAY_EINVAL, "min-p: found %g, expected 0 to 1", p->min_p);
    if (!(p->repetition_penalty > 0) || isinf(p->repetition_penalty))
        return assay_fail(err, ASSAY_EINVAL, "repetition penalty: found %g, expected more than 0",
                          p->repetition_penalty);
    return ASSAY_OK;
}

assay_status serve_sampler_open(const serve_sampling *sampling, size_t vocab, serve_sampler **out,
                                assay_error *err)
{
    assert(vocab > 0);
    assay_status rc = check_sampling(sampling, err);
    if (rc != ASSAY_OK) return rc;
    serve_sampler *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "a sampler: out of memory");
    *s = (serve_sampler){.sampling = *sampling,
                         .vocab = vocab,
                         .logit = calloc(vocab, sizeof *s->logit),
                         .candidates = calloc(vocab, sizeof *s->candidates),
                         .seen = calloc(vocab, 1)};
    if (!s->logit || !s->candidates || !s->seen) {
        serve_sampler_free(s);
        return assay_fail(err, ASSAY_ENOMEM, "a sampler for %zu tokens: out of memory", vocab);
    }
    *out = s;
    return ASSAY_OK;
}

void serve_sampler_free(serve_sampler *s)
{
    if (!s) return;
    free(s->logit);
    free(s->candidates);
    free(s->seen);
    free(s);
}

void serve_sampler_accept(serve_sampler *s, int32_t id)
{
    if (id >= 0 && (size_t)id < s->vocab) s->seen[id] = 1;
}

/* exp(x) for x <= 0, within two units in the last place: x = k ln 2 + r, and a Taylor series for exp(r). The
 * compiler's standard C mode contracts no multiply-adds, so that all machines round alike. */
static double portable_exp(double x)
{
    static const double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
    if (!(x > -745)) return 0;
    const double k = nearbyint(x * 0x1.71547652b82fep+0);
    const double r = (x - k * ln2_high) - k * ln2_low;
    double sum = 1;
    for (int i = 14; i > 0; i--) sum = 1 + sum * r / i;
    return ldexp(sum, (int)k);
}

/* Fills s->logit with the penalty applied. Returns the index of the best one; vocab if there is none. */
static size_t load_logits(serve_sampler *s, const void *logits, assay_dtype dtype)
{
    const double penalty = s->sampling.repetition_penalty;
    size_t best = s->vocab;
    assert(dtype == ASSAY_F32 || dtype == ASSAY_F64);
    for (size_t i = 0; i < s->vocab; i++) {
        double x = dtype == ASSAY_F32 ? (double)((const float *)logits)[i] : ((const double *)logits)[i];
        if (s->seen[i]) x = x < 0 ? x * penalty : x / penalty;
        s->logit[i] = x;
        if (x > -INFINITY && (best == s->vocab || x > s->logit[best])) best = i;
    }
    return best;
}

/* Orders by decreasing likelihood; of equal ones the larger id comes first, and is dropped first. */
static int compare_weights(const void *a, const void *b)
{
    const candidate *one = a, *other = b;
    if (one->weight != other->weight) return one->weight < other->weight ? 1 : -1;
    return one->id < other->id ? 1 : -1;
}

/* Restores the heap order from heap[at] on; the least likely candidate is at the top. */
static void sift_down(double *heap, size_t n, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && heap[child + 1] < heap[child]) child++;
        if (heap[at] <= heap[child]) return;
        const double moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

/* The k-th largest logit, of [n], n >= k > 0; overwrites the array. */
static double kth_largest(double *logit, size_t n, size_t k)
{
    for (size_t i = k / 2; i-- > 0;) sift_down(logit, k, i);
    for (size_t i = k; i < n; i++) {
        if (!(logit[i] > logit[0])) continue;
        logit[0] = logit[i];
        sift_down(logit, k, 0);
    }
    return logit[0];
}

/* Fills s->candidates with the best top_k, with weights relative to the best logit. */
static void gather_top_k(serve_sampler *s, double best)
{
    s->n = 0;
    for (size_t i = 0; i < s->vocab; i++)
        if (s->logit[i] > -INFINITY) s->candidates[s->n++] = (candidate){(int32_t)i, s->logit[i]};
    double least = -INFINITY;
    if (s->sampling.top_k > 0 && s->sampling.top_k < s->n) {
        for (size_t i = 0; i < s->n; i++) s->logit[i] = s->candidates[i].weight;
        least = kth_largest(s->logit, s->n, s->sampling.top_k);
    }
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const candidate c = s->candidates[i];
        /* the difference of two infinities is no number: all of these are equally likely */
        const double distance = c.weight < best ? (c.weight - best) / s->sampling.temperature : 0;
        if (c.weight >= least) s->candidates[n++] = (candidate){c.id, portable_exp(distance)};
    }
    s->n = n;
}

static double sum_weights(const serve_sampler *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++) sum += s->candidates[i].weight;
    return sum;
}

/* Drops the least likely candidates while their sum is at most 1 - top_p. A candidate that is less likely
 * than an equal share of that is certainly among them, and need not be sorted. */
static void apply_top_p(serve_sampler *s)
{
    const double all = sum_weights(s), most = (1 - s->sampling.top_p) * all, sure = most / (double)s->n;
    double gone = 0;
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const candidate c = s->candidates[i];
        if (c.weight < sure) gone += c.weight;
        else s->candidates[n++] = c;
    }
    s->n = n;
    qsort(s->candidates, s->n, sizeof *s->candidates, compare_weights);
    while (s->n > 1 && gone + s->candidates[s->n - 1].weight <= most) gone += s->candidates[--s->n].weight;
}

static void apply_min_p(serve_sampler *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->candidates[i].weight >= s->sampling.min_p) s->candidates[n++] = s->candidates[i];
    s->n = n;
}

/* Leaves the candidates that may be drawn in s->candidates. Returns the sum of their weights. */
static double truncate_candidates(serve_sampler *s, double best)
{
    gather_top_k(s, best);
    if (s->sampling.top_p < 1) apply_top_p(s);
    if (s->sampling.min_p > 0) apply_min_p(s);
    return sum_weights(s);
}

/* A number in [0, 1) for each seed and step (SplitMix64: Steele, Lea and Flood 2014, started at the step). */
static double draw_uniform(uint64_t seed, uint64_t step)
{
    uint64_t z = seed * 0xda942042e4dd58b5U + (step + 1) * 0x9e3779b97f4a7c15U;
    for (int round = 0; round < 2; round++) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        z ^= z >> 31;
    }
    return (double)(z >> 11) * 0x1p-53;
}

static int compare_ids(const void *a, const void *b)
{
    const candidate *one = a, *other = b;
    return (one->id > other->id) - (one->id < other->id);
}

/* The index of the best logit, the first of equal ones; n if there is none. */
static size_t find_best(const void *logits, assay_dtype dtype, size_t n)
{
    size_t at = n;
    if (dtype == ASSAY_F32) {
        const float *x = logits;
        float best = -INFINITY;
        for (size_t i = 0; i < n; i++)
            if (x[i] > best) {
                best = x[i];
                at = i;
            }
    } else {
        const double *x = logits;
        double best = -INFINITY;
        for (size_t i = 0; i < n; i++)
            if (x[i] > best) {
                best = x[i];
                at = i;
            }
    }
    return at;
}

int32_t serve_sampler_choose(serve_sampler *s, const void *logits, assay_dtype dtype, uint64_t step)
{
    const bool is_plain = s->sampling.temperature == 0 && s->sampling.repetition_penalty == 1;
    const size_t best = is_plain ? find_best(logits, dtype, s->vocab) : load_logits(s, logits, dtype);
    if (best == s->vocab) return -1;
    if (s->sampling.temperature == 0) return (int32_t)best;
    double left = draw_uniform(s->sampling.seed, step) * truncate_candidates(s, s->logit[best]);
    if (s->sampling.top_p < 1) qsort(s->candidates, s->n, sizeof *s->candidates, compare_ids);
    size_t i = 0;
    while (i + 1 < s->n && left >= s->candidates[i].weight) left -= s->candidates[i++].weight;
    return s->candidates[i].id;
}

void serve_sampler_weigh(serve_sampler *s, const void *logits, assay_dtype dtype, double *out)
{
    const size_t best = load_logits(s, logits, dtype);
    for (size_t i = 0; i < s->vocab; i++) out[i] = 0;
    if (best == s->vocab) return;
    if (s->sampling.temperature == 0) {
        out[best] = 1;
        return;
    }
    const double sum = truncate_candidates(s, s->logit[best]);
    for (size_t i = 0; i < s->n; i++) out[s->candidates[i].id] = s->candidates[i].weight / sum;
}
