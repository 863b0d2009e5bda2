/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tests/peak.h"

enum { CHAINS = 8 };

double peak_fma__scalar(size_t n)
{
    volatile float start = 1;
    float sum[CHAINS], factor = start;
    for (size_t c = 0; c < CHAINS; c++) sum[c] = start;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < CHAINS; c++) sum[c] = sum[c] * factor + factor;
    for (size_t c = 0; c < CHAINS; c++) start = sum[c];
    return 2.0 * CHAINS * (double)n;
}

float peak_read__scalar(const float *x, size_t n)
{
    float sum[CHAINS] = {0}, all = 0;
    for (size_t i = 0; i < n; i += CHAINS)
        for (size_t c = 0; c < CHAINS; c++) sum[c] += x[i + c];
    for (size_t c = 0; c < CHAINS; c++) all += sum[c];
    return all;
}
