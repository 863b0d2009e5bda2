/* Functions of vectors, over the names of whichever vec__<isa>.h was included before. The polynomials are
 * minimax fits of this project, made with Lawson's weights on Chebyshev bases.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_VEC_VEC_MATH_H
#define FASTPATH_KERNELS_VEC_VEC_MATH_H

/* c[0] + c[1] x + … + c[n - 1] xⁿ⁻¹, by Horner's rule. */
static inline vec vec_polynomial(vec x, const float *c, size_t n)
{
    vec y = vec_of(c[n - 1]);
    for (size_t i = n - 1; i-- > 0;) y = vec_fma(y, x, vec_of(c[i]));
    return y;
}

/* eˣ, within two ulps; 0 or infinity outside the range of float, including subnormals. NaN stays NaN. */
static inline vec vec_exp(vec x)
{
    static const float c[] = {0.49999994F, 0.166665152F, 0.041668456F, 0.00836941879F, 0.00138131448F};
    const float ln2_high = 0x1.62e4p-1F, ln2_low = 0x1.7f7d1cp-20F; /* n ln2_high is exact */
    x = vec_min(vec_of(90), vec_max(vec_of(-106), x));              /* propagates NaN in the second operand */
    vec n = vec_round(vec_mul(x, vec_of(1.44269504F)));
    vec r = vec_fma(n, vec_of(-ln2_low), vec_fma(n, vec_of(-ln2_high), x));
    vec y = vec_fma(vec_mul(r, r), vec_polynomial(r, c, sizeof c / sizeof *c), r);
    return vec_scale(vec_add(vec_of(1), y), n);
}

/* 1 / (1 + e⁻ˣ), as accurate for large negative x as for others. */
static inline vec vec_sigmoid(vec x)
{
    vec e = vec_exp(vec_sub(vec_of(0), vec_abs(x)));
    return vec_div(vec_if_less(x, vec_of(0), e, vec_of(1)), vec_add(vec_of(1), e));
}

static inline vec vec_tanh(vec x)
{
    static const float c[] = {-0.333332807F, 0.133314416F, -0.0537397154F, 0.0206390861F, -0.005704985F};
    vec size = vec_abs(x), square = vec_mul(x, x);
    vec near = vec_fma(vec_mul(size, square), vec_polynomial(square, c, sizeof c / sizeof *c), size);
    vec far = vec_sub(vec_of(1), vec_div(vec_of(2), vec_add(vec_exp(vec_add(size, size)), vec_of(1))));
    return vec_copy_sign(vec_if_less(size, vec_of(0.625F), near, far), x);
}

/* The normal distribution's upper tail, erfc(x / √2) / 2, for x >= 0: e^(-x²/2) times a polynomial in
 * (x - 3) / (x + 3), so that it stays accurate where it is small. */
static inline vec vec_normal_tail(vec x)
{
    static const float c[] = {0.121513948F,    -0.206402615F,  0.123225056F,     -0.0462132357F,
                              0.00613181107F,  0.00290421373F, -0.000982822268F, -0.000338545826F,
                              0.000114504473F, 5.26763106e-05F};
    x = vec_min(vec_of(15), x); /* the result is 0 from here on */
    vec square = vec_mul(x, x), rest = vec_fma(x, x, vec_sub(vec_of(0), square));
    vec e = vec_exp(vec_mul(vec_of(-0.5F), square));
    e = vec_fma(vec_mul(e, vec_of(-0.5F)), rest, e);
    vec t = vec_div(vec_sub(x, vec_of(3)), vec_add(x, vec_of(3)));
    return vec_mul(e, vec_polynomial(t, c, sizeof c / sizeof *c));
}

#endif
