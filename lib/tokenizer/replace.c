/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/replace.h"

#include <string.h>

/* Replaces what[0..n_what) in *b by with[0..n_with), from left to right. */
bool tokenizer_replace(buffer *b, buffer *scratch, const char *what, size_t n_what, const char *with,
                       size_t n_with)
{
    scratch->n = 0;
    for (size_t at = 0; at < b->n;) {
        const char *found = n_what > 0 ? memmem(b->data + at, b->n - at, what, n_what) : NULL;
        const size_t end = found ? (size_t)(found - b->data) : b->n;
        if (!buffer_append(scratch, b->data + at, end - at)) return false;
        if (found && !buffer_append(scratch, with, n_with)) return false;
        at = found ? end + n_what : end;
    }
    const buffer swapped = *b;
    *b = *scratch;
    *scratch = swapped;
    return true;
}

bool tokenizer_clean_up(buffer *b, buffer *scratch)
{
    static const char *const WHAT[][2] = {
        {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
        {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    for (size_t i = 0; i < sizeof WHAT / sizeof *WHAT; i++)
        if (!tokenizer_replace(b, scratch, WHAT[i][0], strlen(WHAT[i][0]), WHAT[i][1], strlen(WHAT[i][1])))
            return false;
    return true;
}
