/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/text/ruby_writer.h"

#include <string.h>

bool ruby_refuse(ruby_rewriting *r, size_t at, const char *reason)
{
    *r->problem = (tokenizer_ruby_problem){at, reason};
    return false;
}

bool ruby_set_folds(const ruby_rewriting *r)
{
    return r->n_sets > 0 && r->folds && !r->set.is_complement;
}

bool ruby_put(ruby_rewriting *r, const char *items)
{
    return buffer_append(r->out, items, strlen(items)) || ruby_refuse(r, r->at, NULL);
}

bool ruby_put_text(ruby_rewriting *r, const char *text, size_t n)
{
    return buffer_append(r->out, text, n) || ruby_refuse(r, r->at, NULL);
}

bool ruby_next_is(const ruby_rewriting *r, const char *text)
{
    const size_t n = strlen(text);
    return n <= r->n - r->at && memcmp(r->text + r->at, text, n) == 0;
}

char ruby_peek(const ruby_rewriting *r)
{
    return r->at < r->n ? r->text[r->at] : '\0';
}

bool ruby_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool ruby_put_other(ruby_rewriting *r, const char *atom)
{
    const bool ok = (r->others->n == 0 || buffer_append(r->others, "|", 1)) &&
                    buffer_append(r->others, atom, strlen(atom));
    return ok || ruby_refuse(r, r->at, NULL);
}
