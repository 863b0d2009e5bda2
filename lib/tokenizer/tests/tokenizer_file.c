/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/tests/tokenizer_file.h"

#include "base/tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *or_null(const char *text)
{
    return text ? text : "null";
}

const char *tokenizer_file_write(const tokenizer_file *f)
{
    static int count;
    char name[32];
    char *text = NULL;
    (void)snprintf(name, sizeof name, "%d-%d", (int)getpid(), count++);
    const char *dir = support_mkdir(support_tmpdir(), name);
    const int n =
        asprintf(&text,
                 "{\"version\":%s,\"truncation\":%s,\"padding\":%s,\"added_tokens\":%s,\"normalizer\":%s,"
                 "\"pre_tokenizer\":%s,\"post_processor\":%s,\"decoder\":%s,\"model\":%s}",
                 f->version ? f->version : "\"1.0\"", or_null(f->truncation), or_null(f->padding),
                 f->added ? f->added : "[]", or_null(f->normalizer), or_null(f->pretokenizer),
                 or_null(f->post), or_null(f->decoder), f->model ? f->model : SIMPLE);
    ck_assert_int_gt(n, 0);
    (void)support_write(dir, "tokenizer.json", text, (size_t)n);
    free(text);
    return dir;
}

tokenizer *tokenizer_file_open(const tokenizer_file *f)
{
    tokenizer *t = NULL;
    assay_error err = {0};
    ck_assert_msg(tokenizer_open(tokenizer_file_write(f), &t, &err) == ASSAY_OK, "%s", err.text);
    return t;
}
