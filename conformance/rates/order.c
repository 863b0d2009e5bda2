/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/rates/order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"

/* A number after "name:" in a word; false if the word is another one or the number is not in lo … hi. */
static bool number_after(const char *word, const char *name, size_t lo, size_t hi, size_t *out)
{
    const size_t n = strlen(name);
    if (strncmp(word, name, n) != 0 || word[n] != ':' || word[n + 1] < '0' || word[n + 1] > '9') return false;
    char *end;
    const unsigned long long number = strtoull(word + n + 1, &end, 10);
    *out = (size_t)number;
    return *end == '\0' && number >= lo && number <= hi;
}

static bool parse_word(const char *word, rates_order *order)
{
    size_t planted;
    if (strcmp(word, "forward") == 0) return true;
    if (strcmp(word, "backward") == 0) order->direction = ORDER_BACKWARD;
    else if (strcmp(word, "fused") == 0) order->fused = true;
    else if (strcmp(word, "rounded") == 0) order->rounded = true;
    else if (number_after(word, "shuffled", 0, UINT32_MAX, &order->seed)) order->direction = ORDER_SHUFFLED;
    else if (number_after(word, "lanes", 1, ORDER_LANES_MAX, &order->lanes))
        return (order->lanes & (order->lanes - 1)) == 0;
    else if (number_after(word, "planted", 1, 64, &planted)) order->planted = (int)planted;
    else
        return number_after(word, "block", 1, SIZE_MAX / 2, &order->block) ||
               number_after(word, "parts", 1, 64, &order->parts);
    return true;
}

bool rates_order_parse(const char *text, rates_order *order)
{
    char words[256], *at = words;
    *order = (rates_order){.lanes = 1, .parts = 1};
    if (!text) return true;
    if (snprintf(words, sizeof words, "%s", text) >= (int)sizeof words) return false;
    for (char *next; at; at = next) {
        next = strchr(at, ',');
        if (next) *next++ = '\0';
        if (!parse_word(at, order)) return false;
    }
    return true;
}

static size_t greatest_divisor(size_t a, size_t b)
{
    while (b) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The permutation i -> (i * step + start) mod n of a piece with n terms. It needs no table: kernels do not
 * allocate. */
typedef struct walk {
    size_t start, step, n;
} walk;

static walk walk_of(const rates_order *order, size_t n)
{
    if (order->direction == ORDER_FORWARD) return (walk){.start = 0, .step = 1, .n = n};
    if (order->direction == ORDER_BACKWARD) return (walk){.start = n - 1, .step = n - 1, .n = n};
    uint64_t bits = (order->seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    bits ^= bits >> 29;
    size_t step = n > 2 ? 1 + (size_t)(bits >> 32) % (n - 1) : 1;
    while (greatest_divisor(step, n) != 1) step--; /* 1 divides nothing else */
    return (walk){.start = (size_t)(bits & UINT32_MAX) % n, .step = step, .n = n};
}

float rates_to_bf16(float x)
{
    const double wide = x;
    uint16_t bits;
    dtype_from_f64(&bits, &wide, ASSAY_BF16, 1);
    return dtype_bf16_to_f32(bits);
}

static void add_fused(float *sum, float x, const float *w, size_t width)
{
    for (size_t k = 0; k < width; k++) sum[k] = (float)((double)x * (double)w[k] + (double)sum[k]);
}

static void add_product(float *sum, float x, const float *w, size_t width)
{
    for (size_t k = 0; k < width; k++) {
        const float product = x * w[k];
        sum[k] += product;
    }
}

static void add_to(float *sum, const float *part, size_t width)
{
    for (size_t k = 0; k < width; k++) sum[k] += part[k];
}

static float number_at(const rates_row *x, size_t i)
{
    return x->f32 ? x->f32[i] : dtype_bf16_to_f32(x->bf16[i]);
}

static rates_row row_from(rates_row x, size_t first)
{
    rates_row from = {0};
    if (x.f32) from.f32 = x.f32 + first;
    else from.bf16 = x.bf16 + first;
    return from;
}

/* Adds up `count` terms from number `from` of the walk on. */
static void sum_block(const rates_order *o, float *sum, size_t width, rates_row x, const float *w,
                      size_t ld_w, const walk *path, size_t from, size_t count)
{
    float lane[ORDER_LANES_MAX][ORDER_WIDTH_MAX];
    for (size_t l = 0; l < o->lanes; l++) memset(lane[l], 0, width * sizeof **lane);
    size_t i = (path->start + (from % path->n) * path->step) % path->n;
    for (size_t j = 0; j < count; j++) {
        float *to = lane[j & (o->lanes - 1)];
        if (o->fused) add_fused(to, number_at(&x, i), w + i * ld_w, width);
        else add_product(to, number_at(&x, i), w + i * ld_w, width);
        i += path->step;
        if (i >= path->n) i -= path->n;
    }
    for (size_t half = o->lanes / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++) add_to(lane[l], lane[l + half], width);
    memcpy(sum, lane[0], width * sizeof *sum);
}

static void sum_piece(const rates_order *o, float *sum, size_t width, rates_row x, const float *w,
                      size_t ld_w, size_t n)
{
    const walk path = walk_of(o, n);
    const size_t block = o->block ? o->block : n;
    memset(sum, 0, width * sizeof *sum);
    for (size_t from = 0; from < n; from += block) {
        float part[ORDER_WIDTH_MAX];
        sum_block(o, part, width, x, w, ld_w, &path, from, n - from < block ? n - from : block);
        add_to(sum, part, width);
    }
}

void rates_order_sum(const rates_order *o, float *y, size_t width, rates_row x, const float *w, size_t ld_w,
                     size_t n)
{
    memset(y, 0, width * sizeof *y);
    for (size_t p = 0; p < o->parts; p++) {
        float piece[ORDER_WIDTH_MAX];
        const size_t first = n * p / o->parts, end = n * (p + 1) / o->parts;
        if (first == end) continue;
        sum_piece(o, piece, width, row_from(x, first), w + first * ld_w, ld_w, end - first);
        for (size_t k = 0; k < width; k++) {
            y[k] += o->rounded ? rates_to_bf16(piece[k]) : piece[k];
            if (o->rounded) y[k] = rates_to_bf16(y[k]);
        }
    }
}

float rates_order_plant(const rates_order *o, float sum, size_t output)
{
    if (o->planted == 0) return sum;
    const bool up = (output * UINT64_C(0x9e3779b97f4a7c15)) >> 63;
    return (float)(sum * (1 + ldexp(up ? 1 : -1, -o->planted)));
}
