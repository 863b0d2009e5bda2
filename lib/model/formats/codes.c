/* SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/codes.h"

#include <math.h>

const double CODES_E2M1[16] = {0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6};

/* The number of a code with that many bits of fraction and that bias, if it is finite. */
static double number_of(unsigned code, unsigned fraction_bits, int bias)
{
    const unsigned fraction = code & ((1U << fraction_bits) - 1), exponent = (code & 0x7fU) >> fraction_bits;
    const double unit = ldexp(1, -(int)fraction_bits);
    const double magnitude =
        exponent ? ldexp(1 + fraction * unit, (int)exponent - bias) : ldexp(fraction * unit, 1 - bias);
    return code & 0x80U ? -magnitude : magnitude;
}

void codes_e4m3(double table[256])
{
    for (unsigned code = 0; code < 256; code++)
        table[code] = (code & 0x7fU) == 0x7fU ? NAN : number_of(code, 3, 7);
}

void codes_e5m2(double table[256])
{
    for (unsigned code = 0; code < 256; code++) {
        const unsigned magnitude = code & 0x7fU;
        table[code] = magnitude > 0x7cU ? NAN : number_of(code, 2, 15);
        if (magnitude == 0x7cU) table[code] = code & 0x80U ? -INFINITY : INFINITY;
    }
}

void codes_e8m0(double table[256])
{
    for (int code = 0; code < 255; code++) table[code] = ldexp(1, code - 127);
    table[255] = NAN;
}
