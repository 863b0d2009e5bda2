/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/models/bytes.h"

/* The bytes without a printable character of their own: 0 to 0x20, 0x7f to 0xa0, and 0xad. */
#define N_LOW  0x21U
#define N_MID  0x22U
#define N_REST (N_LOW + N_MID + 1)

uint32_t tokenizer_bytes_char(unsigned char byte)
{
    if (byte < N_LOW) return 0x100U + byte;
    if (byte >= 0x7f && byte <= 0xa0) return 0x100U + N_LOW + (byte - 0x7fU);
    if (byte == 0xad) return 0x100U + N_LOW + N_MID;
    return byte;
}

int tokenizer_bytes_byte(uint32_t codepoint)
{
    if (codepoint >= 0x100) {
        const uint32_t rest = codepoint - 0x100;
        if (rest >= N_REST) return -1;
        if (rest < N_LOW) return (int)rest;
        return rest < N_LOW + N_MID ? (int)(rest - N_LOW + 0x7f) : 0xad;
    }
    return tokenizer_bytes_char((unsigned char)codepoint) == codepoint ? (int)codepoint : -1;
}
