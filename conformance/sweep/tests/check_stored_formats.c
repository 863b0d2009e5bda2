/* Formats of stored matrices as the sweep draws them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/sweep/stored_formats.h"

#include <string.h>

#include "base/tests/support.h"
#include "model/formats/blocks.h"

/* A text of a setting that its reader refuses, or a list of parts without a matrix, would leave a format out.
 */
START_TEST(every_format_has_a_matrix_and_fields)
{
    for (size_t format = 0; format < sweep_n_formats(); format++) {
        const char *name = sweep_format_name(format);
        size_t n_out = 3, n_in = 300;
        sweep_stored one;
        sweep_format_fit(format, &n_out, &n_in);
        ck_assert_msg(sweep_format_open(format, n_out, n_in, NULL, 1, &one), "%s", name);
        ck_assert_msg(one.stored.codes.layout && one.stored.n_out == n_out && one.stored.n_in == n_in, "%s",
                      name);
        ck_assert_msg(one.stored.scale.layout, "%s", name);
        ck_assert_msg((strstr(name, "g_idx") != NULL) == (one.stored.group_of != NULL), "%s", name);
        sweep_format_close(&one, true);
    }
}
END_TEST

START_TEST(every_known_type_of_gguf_is_among_them)
{
    size_t n;
    const gguf_type *types = gguf_types(&n);
    for (size_t i = 0; i < n; i++) {
        bool is_found = false;
        for (size_t format = 0; format < sweep_n_formats(); format++)
            is_found = is_found || strcmp(sweep_format_name(format), types[i].name) == 0;
        ck_assert_msg(is_found == (blocks_is_coded(&types[i]) && blocks_is_known(&types[i])), "%s",
                      types[i].name);
    }
    ck_assert_uint_le(sweep_n_formats(), SWEEP_FORMATS_MAX);
}
END_TEST

START_TEST(sizes_are_rounded_up_to_those_of_a_format)
{
    static const struct {
        const char *format;
        size_t n_out, n_in;
    } rows[] = {
        {"Q4_K", 3, 512}, {"Q8_0", 3, 288}, {"fp8 block", 3, 257}, {"AWQ", 8, 288}, {"GPTQ 3", 32, 288}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t format = 0, n_out = 3, n_in = 257;
        while (strcmp(sweep_format_name(format), rows[i].format) != 0) format++;
        sweep_format_fit(format, &n_out, &n_in);
        ck_assert_msg(n_out == rows[i].n_out && n_in == rows[i].n_in, "%s: %zu x %zu", rows[i].format, n_out,
                      n_in);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sweep/stored_formats");
    TCase *tc = tcase_create("stored_formats");
    tcase_add_test(tc, every_format_has_a_matrix_and_fields);
    tcase_add_test(tc, every_known_type_of_gguf_is_among_them);
    tcase_add_test(tc, sizes_are_rounded_up_to_those_of_a_format);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
