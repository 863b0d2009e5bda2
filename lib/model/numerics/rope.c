/* SPDX-License-Identifier: Apache-2.0 */
#include "model/numerics/rope.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

void rope_free(rope *r)
{
    free(r->short_factor);
    free(r->long_factor);
    r->short_factor = r->long_factor = NULL;
}

const char *rope_type_name(rope_type type)
{
    switch (type) {
    case ROPE_DEFAULT: return "default";
    case ROPE_LINEAR: return "linear";
    case ROPE_DYNAMIC: return "dynamic";
    case ROPE_LLAMA3: return "llama3";
    case ROPE_YARN: return "yarn";
    case ROPE_LONGROPE: return "longrope";
    case ROPE_PROPORTIONAL: return "proportional";
    }
    return NULL;
}

const char *rope_sections_name(rope_sections sections)
{
    switch (sections) {
    case ROPE_SECTIONS_CHUNKED: return "chunked";
    case ROPE_SECTIONS_INTERLEAVED: return "interleaved";
    case ROPE_SECTIONS_ALTERNATING: return "alternating";
    case ROPE_SECTIONS_DOUBLED: return "doubled";
    case ROPE_SECTIONS_NONE:
    case ROPE_SECTIONS_ROW_COLUMN:
    case ROPE_SECTIONS_COLUMN_ROW: break;
    }
    return NULL;
}

/* Whether the angles of towers are meant: half of them by row, half by column. */
static bool has_two_halves(const rope *r)
{
    return r->sections == ROPE_SECTIONS_ROW_COLUMN || r->sections == ROPE_SECTIONS_COLUMN_ROW;
}

/* theta^(2i/dim): radians per position are its inverse (Su et al. 2021). */
static double rope_period(const rope *r, double theta, size_t i)
{
    return pow(theta, (double)(2 * i) / (double)r->exponent_dim);
}

/* Base that grows once the sequence is longer than max_length (NTK-aware scaling, "dynamic"). */
static double dynamic_theta(const rope *r, size_t length)
{
    double n = fmax((double)length, r->max_length), dim = (double)r->dim;
    return r->theta * pow(r->factor * n / r->max_length - (r->factor - 1), dim / (dim - 2));
}

/* Llama 3.1: long wavelengths are divided, short ones kept, those between are interpolated. */
static double llama3_frequency(const rope *r, double f)
{
    double wavelength = 2 * PI / f;
    if (wavelength < r->original_length / r->high_freq_factor) return f;
    if (wavelength > r->original_length / r->low_freq_factor) return f / r->factor;
    double smooth =
        (r->original_length / wavelength - r->low_freq_factor) / (r->high_freq_factor - r->low_freq_factor);
    return (1 - smooth) * f / r->factor + smooth * f;
}

/* The (fractional) frequency index with `rotations` rotations over the original length (YaRN, Peng et
 * al. 2023, section 3.2). */
static double yarn_dim(const rope *r, double rotations)
{
    return (double)r->dim * log(r->original_length / (rotations * 2 * PI)) / (2 * log(r->theta));
}

static void yarn_frequencies(const rope *r, double *out)
{
    double low = yarn_dim(r, r->beta_fast), high = yarn_dim(r, r->beta_slow);
    if (r->truncate) {
        low = floor(low);
        high = ceil(high);
    }
    low = fmax(low, 0);
    high = fmin(high, (double)(r->dim - 1));
    if (low == high) high += 0.001; /* as upstream: no division by zero */
    for (size_t i = 0; i < r->dim / 2; i++) {
        double turn = rope_period(r, r->theta, i);
        double ramp = fmin(fmax(((double)i - low) / (high - low), 0), 1);
        double kept = 1 - ramp;
        out[i] = 1 / (r->factor * turn) * (1 - kept) + 1 / turn * kept;
    }
}

void rope_frequencies(const rope *r, size_t length, double *inverse_frequency)
{
    if (r->type == ROPE_YARN) {
        yarn_frequencies(r, inverse_frequency);
        return;
    }
    double theta = r->type == ROPE_DYNAMIC ? dynamic_theta(r, length) : r->theta;
    const double *divisor = (double)length > r->original_length ? r->long_factor : r->short_factor;
    for (size_t i = 0; i < r->dim / 2; i++) {
        double turn = rope_period(r, theta, has_two_halves(r) ? i % (r->dim / 4) : i), f = 1 / turn;
        switch (r->type) {
        case ROPE_LINEAR: f /= r->factor; break;
        case ROPE_LLAMA3: f = llama3_frequency(r, f); break;
        case ROPE_LONGROPE: f = 1 / (divisor[i] * turn); break;
        case ROPE_PROPORTIONAL: f = i < r->n_angles ? f / r->factor : 0; break;
        case ROPE_DEFAULT:
        case ROPE_DYNAMIC:
        case ROPE_YARN: break;
        }
        inverse_frequency[i] = f;
    }
}

size_t rope_n_axes(const rope *r)
{
    if (r->sections == ROPE_SECTIONS_NONE) return 1;
    return r->sections == ROPE_SECTIONS_DOUBLED ? 4 : 3;
}

size_t rope_n_angles(const rope *r)
{
    return r->sections == ROPE_SECTIONS_DOUBLED ? r->dim : r->dim / 2;
}

/* The axis of an angle among those of all elements (transformers, modeling_hunyuan_vl.py,
 * recomposition_frequencies). */
static size_t doubled_axis(const rope *r, size_t i)
{
    size_t axis = 0;
    for (; axis + 1 < rope_n_axes(r) && i >= 2 * r->section[axis]; axis++) i -= 2 * r->section[axis];
    return axis;
}

size_t rope_axis(const rope *r, size_t i)
{
    enum { TEMPORAL, HEIGHT, WIDTH };
    switch (r->sections) {
    case ROPE_SECTIONS_NONE: return TEMPORAL;
    case ROPE_SECTIONS_CHUNKED:
        return i < r->section[0] ? TEMPORAL : i < r->section[0] + r->section[1] ? HEIGHT : WIDTH;
    case ROPE_SECTIONS_INTERLEAVED:
        if (i % 3 == 1 && i < 3 * r->section[1]) return HEIGHT;
        if (i % 3 == 2 && i < 3 * r->section[2]) return WIDTH;
        return TEMPORAL;
    case ROPE_SECTIONS_ALTERNATING:
        if (i >= r->section[0] + r->section[1]) return TEMPORAL;
        return i % 2 == 0 ? HEIGHT : WIDTH;
    case ROPE_SECTIONS_DOUBLED: return doubled_axis(r, i);
    case ROPE_SECTIONS_ROW_COLUMN: return i < r->dim / 4 ? HEIGHT : WIDTH;
    case ROPE_SECTIONS_COLUMN_ROW: return i < r->dim / 4 ? WIDTH : HEIGHT;
    }
    return TEMPORAL;
}

void rope_tables(const rope *r, const double *inverse_frequency, const int32_t *position, size_t n_axes,
                 size_t n_positions, double *cosine, double *sine)
{
    const size_t n = rope_n_angles(r);
    for (size_t i = 0; i < n; i++) {
        const int32_t *along = position + (n_axes > 1 ? rope_axis(r, i) : 0) * n_positions;
        for (size_t p = 0; p < n_positions; p++) {
            double angle = (double)along[p] * inverse_frequency[i % (r->dim / 2)];
            cosine[p * n + i] = cos(angle) * r->attention_factor;
            sine[p * n + i] = sin(angle) * r->attention_factor;
        }
    }
}
