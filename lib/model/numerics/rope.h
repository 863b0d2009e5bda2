/* Rotary position embeddings (RoPE): resolved parameters of a config, and their angles. Source of every
 * variant: transformers, modeling_rope_utils.py, unless a line says otherwise.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_NUMERICS_ROPE_H
#define MODEL_NUMERICS_ROPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROPE_AXES_MAX 4

typedef enum rope_type {
    ROPE_DEFAULT,
    ROPE_LINEAR,
    ROPE_DYNAMIC,
    ROPE_LLAMA3,
    ROPE_YARN,
    ROPE_LONGROPE,
    ROPE_PROPORTIONAL
} rope_type;

/* Which elements of a head form a pair. */
typedef enum rope_pairing {
    ROPE_PAIRS_HALF,     /* i and i + dim/2 */
    ROPE_PAIRS_ADJACENT, /* 2i and 2i + 1 */
    ROPE_PAIRS_QUARTER   /* i and i + dim/4 within each half of dim; the first half has the first dim/4 angles
                          */
} rope_pairing;

/* How the frequencies are distributed over the axes temporal, height, width; DOUBLED: over position, width,
 * height, number of the image. */
typedef enum rope_sections {
    ROPE_SECTIONS_NONE,        /* one axis */
    ROPE_SECTIONS_CHUNKED,     /* section[0] frequencies of t, then h, then w (Qwen2-VL) */
    ROPE_SECTIONS_INTERLEAVED, /* h at 1, 4, 7, …, w at 2, 5, 8, …, t elsewhere (Qwen3-VL) */
    ROPE_SECTIONS_ALTERNATING, /* h, w, h, w, …, then t (Ernie 4.5 VL; sections are h, w, t) */
    ROPE_SECTIONS_DOUBLED, /* of the angles of all elements, 2·section[a] are of axis a, one axis after the
                              other: the elements of a pair turn by different axes (HunYuanVL) */
    ROPE_SECTIONS_ROW_COLUMN, /* towers: the first half of the angles by h, the other by w; both have the
                                 frequencies theta^(-2j/(dim/2)), j < dim/4 */
    ROPE_SECTIONS_COLUMN_ROW  /* the same, w before h */
} rope_sections;

/* One resolved rope. Parameters that its type does not use are zero. */
typedef struct rope {
    rope_type type;
    rope_pairing pairing;
    size_t head_dim;     /* elements of a head */
    size_t dim;          /* leading elements that rotate; even, at most head_dim */
    size_t exponent_dim; /* divisor of the exponents: dim, or dim - 1 if a partial factor gives an odd size;
                            dim/2 with sections row, column */
    double theta;
    double factor;                            /* linear, dynamic, llama3, yarn, proportional */
    double attention_factor;                  /* factor of cos and sin; 1 if the type has none */
    double max_length;                        /* max_position_embeddings; dynamic */
    double original_length;                   /* original_max_position_embeddings; llama3, yarn, longrope */
    double low_freq_factor, high_freq_factor; /* llama3 */
    double beta_fast, beta_slow;              /* yarn */
    bool truncate;                            /* yarn */
    size_t n_angles;                          /* proportional: pairs that rotate; the others do not */
    double *short_factor, *long_factor;       /* longrope: [dim/2] each, owned */
    rope_sections sections;
    size_t section[ROPE_AXES_MAX]; /* [rope_n_axes], frequencies per axis, summing to dim/2 */
} rope;

void rope_free(rope *r); /* the arrays that r owns, not r itself */

/* "default", "linear", …, as a config spells it; NULL for a value outside the enumeration. */
const char *rope_type_name(rope_type type);

/* "chunked", …: of the sections of a decoder's rope; NULL for the others. */
const char *rope_sections_name(rope_sections sections);

/* Inverse frequencies of a sequence whose largest position is length - 1.
 * inverse_frequency: [r->dim / 2], radians per position. Longrope takes its long factors once length
 * exceeds the original length, dynamic grows its base with length: both are decided for the whole sequence.
 */
void rope_frequencies(const rope *r, size_t length, double *inverse_frequency);

/* The number of axes among which the sections divide frequencies: 1, 3 or 4. */
size_t rope_n_axes(const rope *r);

/* The number of angles of a head, one for each pair: dim/2; or, with sections DOUBLED, one for each element:
 * dim, those of the second elements after those of the first. */
size_t rope_n_angles(const rope *r);

/* The axis (0 temporal, 1 height, 2 width; with sections DOUBLED 0 position, 1 width, 2 height, 3 number of
 * the image) whose position gives angle i, 0 <= i < rope_n_angles. */
size_t rope_axis(const rope *r, size_t i);

/* cos and sin of every angle, attention scaling included. Angle i has frequency i % (dim / 2).
 * position: [n_axes, n_positions]; n_axes is 1 (all axes alike) or at least rope_n_axes.
 * cosine, sine: [n_positions, rope_n_angles]. inverse_frequency: [r->dim / 2], from rope_frequencies. */
void rope_tables(const rope *r, const double *inverse_frequency, const int32_t *position, size_t n_axes,
                 size_t n_positions, double *cosine, double *sine);

#endif
