/* safetensors headers of the largest size, and with many tensors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/safetensors.h"

#include "base/dtype.h"
#include "base/tests/support.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "t.safetensors"

/* A header of exactly `size` bytes, padded; tensor i is one byte at offset i. The last is named `last`. */
static char *build_many(size_t n_tensors, size_t size, const char *last)
{
    char *header = malloc(size);
    ck_assert_ptr_nonnull(header);
    size_t used = 0;
    for (size_t i = 0; i < n_tensors; i++) {
        ck_assert_uint_lt(used + 200, size);
        const char *separator = i == 0 ? "{" : ",";
        if (i + 1 < n_tensors)
            used += (size_t)sprintf(header + used, "%s\"model.layers.mlp.experts.%zu.down_proj.weight",
                                    separator, i);
        else used += (size_t)sprintf(header + used, "%s\"%s", separator, last);
        used += (size_t)sprintf(header + used,
                                "\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[%zu,%zu]}", i, i + 1);
    }
    header[used++] = '}';
    memset(header + used, ' ', size - used);
    return header;
}

static assay_status open_many(size_t n_tensors, size_t size, const char *last, safetensors **file,
                              assay_error *err)
{
    char *header = build_many(n_tensors, size, last);
    const uint64_t length = size;
    const char *path = support_write(support_tmpdir(), "many.safetensors", &length, sizeof length);
    FILE *f = fopen(path, "ab");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(header, 1, size, f), size);
    ck_assert_uint_eq(fwrite(header, 1, n_tensors, f), n_tensors);
    ck_assert_int_eq(fclose(f), 0);
    free(header);
    const assay_status rc = safetensors_open(path, file, err);
    ck_assert_int_eq(unlink(path), 0);
    return rc;
}

START_TEST(a_header_of_the_greatest_size_is_accepted)
{
    safetensors *f = NULL;
    assay_error err;
    ck_assert_msg(open_many(600000, SAFETENSORS_HEADER_MAX, "last", &f, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(safetensors_count(f), 600000);
    ck_assert_str_eq(safetensors_at(f, 599999)->name, "last");
    safetensors_free(f);
}
END_TEST

START_TEST(one_duplicate_among_many_tensors_is_found)
{
    safetensors *f = NULL;
    assay_error err;
    ck_assert_int_eq(open_many(50000, 6000000, "model.layers.mlp.experts.4567.down_proj.weight", &f, &err),
                     ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "many.safetensors: header: byte",
                         "experts.4567.down_proj.weight' again", "expected it once", NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/checkpoint/safetensors_size");
    TCase *t = tcase_create("all");
    tcase_add_test(t, a_header_of_the_greatest_size_is_accepted);
    tcase_add_test(t, one_duplicate_among_many_tensors_is_found);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
