/* The magnitude of an integer as GMP's limbs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_LIMBS_H
#define TEMPLATE_VALUES_LIMBS_H

#include <gmp.h>

#include "template/values/value.h"

#define TPL_BITS_MAX ((size_t)1 << 16) /* of an integer; more is refused as not supported */

/* Zero has no limbs; otherwise the last one, which is the highest, is not zero. */
struct tpl_limbs {
    const mp_limb_t *at; /* [n] */
    size_t n;
    bool negative;
};

/* The limbs of an integer: those of a big one, borrowed, or *one, which is written. */
tpl_limbs tpl_limbs_of(tpl_value v, mp_limb_t *one);

/* Zeroed limbs that live as long as the rendering; NULL after an error, or if they exceed TPL_BITS_MAX. */
mp_limb_t *tpl_limbs_new(tpl *t, size_t n);

/* The integer of limbs that tpl_limbs_new returned, of which the highest may be zero. */
tpl_value tpl_limbs_value(tpl *t, const mp_limb_t *at, size_t n, bool negative);

/* How many of n limbs are left without zeros at the high end. */
size_t tpl_limbs_used(const mp_limb_t *at, size_t n);

size_t tpl_limbs_bits(const tpl_limbs *a);

/* -1, 0 or 1: the order of two magnitudes. */
int tpl_limbs_compare(const tpl_limbs *a, const tpl_limbs *b);

/* a * 2^bits. */
tpl_limbs tpl_limbs_shifted(tpl *t, const tpl_limbs *a, size_t bits);

/* (a + rest) * 2^exponent as the nearest double, halves to even; has_rest: rest is between 0 and 1. a has
 * more than 64 bits, or no rest. Infinite if it is too large. */
double tpl_limbs_real(const tpl_limbs *a, bool has_rest, int64_t exponent);

#define TPL_LIMBS_OF_REAL (1024 / GMP_NUMB_BITS + 1)

/* The limbs of a finite double without a fraction, in at[TPL_LIMBS_OF_REAL]. */
tpl_limbs tpl_limbs_of_real(double whole, mp_limb_t *at);

#endif
