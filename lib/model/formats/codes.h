/* Tables of narrow numbers: the value of each code.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FORMATS_CODES_H
#define MODEL_FORMATS_CODES_H

/* Sign, 4 bits of exponent (bias 7), 3 of fraction; no infinity, 0x7f and 0xff NaN (OCP 8-bit floating point,
 * E4M3). */
void codes_e4m3(double table[256]);

/* Sign, 5 bits of exponent (bias 15), 2 of fraction, infinities and NaN as in IEEE 754. */
void codes_e5m2(double table[256]);

/* 2^(code - 127); 255: NaN (OCP microscaling formats, E8M0). */
void codes_e8m0(double table[256]);

/* 0, ½, 1, 1½, 2, 3, 4, 6, bit 3 the sign (OCP microscaling formats, E2M1). */
extern const double CODES_E2M1[16];

#endif
