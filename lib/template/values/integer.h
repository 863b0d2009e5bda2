/* Integers of any size, as Python's int. A value of kind TPL_INT has 64 bits; TPL_BIG holds what does not fit
 * in them. GMP computes (its functions on arrays of limbs, which allocate nothing that lasts).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_INTEGER_H
#define TEMPLATE_VALUES_INTEGER_H

#include "template/values/value.h"

#define TPL_DIGITS_MAX ((size_t)4300) /* that Python converts from or to a decimal text */

/* Whether v is an int or a bool of any size. */
bool tpl_is_integer(tpl_value v);
bool tpl_integer_is_negative(tpl_value v);
bool tpl_integer_is_odd(tpl_value v);

/* -1, 0 or 1: the order of two integers, and of an integer and a real number that is not a NaN. Exact. */
int tpl_integer_compare(tpl_value a, tpl_value b);
int tpl_integer_compare_real(tpl_value a, double b);

/* a `c` b for the operators + - * /, and if `twice` ** and //, and %. */
tpl_value tpl_integer_operate(tpl *t, char c, bool twice, tpl_value a, tpl_value b);

/* The nearest double, halves to even; infinite if there is none. */
double tpl_integer_real(tpl_value v);

/* Any number as a double; an integer that is too large for one is an error. */
double tpl_real(tpl *t, tpl_value v);

/* The value of an index, of which the big ones are INT64_MIN or INT64_MAX. */
int64_t tpl_index(tpl_value v);

/* The integer part of a finite number. */
tpl_value tpl_integer_truncated(tpl *t, double real);

/* Digits of a base of 2 to 36, without signs and separators. */
tpl_value tpl_integer_parse(tpl *t, assay_text digits, int base, bool negative);

/* The digits of the magnitude, in lower case; more than TPL_DIGITS_MAX of them in base 10 are an error. */
assay_text tpl_integer_digits(tpl *t, tpl_value v, int base);

#endif
