/* Formats of stored matrices as the sweep draws them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/sweep/stored_formats.h"

#include <math.h>
#include <string.h>

#include "base/tests/support.h"
#include "conformance/sweep/parts.h"
#include "model/formats/blocks.h"
#include "model/numerics/stored.h"

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

/* What a library sees of the codes of a matrix: the patterns that occur. */
enum { PANEL = 4, PATTERNS = 256 };
static bool is_drawn[PATTERNS];

static bool supports_all(const assay_stored *w)
{
    (void)w;
    return true;
}

static size_t bytes_of_panel(const assay_stored *w)
{
    (void)w;
    return ASSAY_ALIGNMENT;
}

/* The number of a code, in the matrix's own terms. NaN: it has none. */
static double number_of(const assay_layout *l, unsigned code)
{
    const double value = l->table                ? l->table[code]
                         : l->number == ASSAY_I8 ? (double)(int8_t)code
                                                 : (double)code;
    return isfinite(value) ? (value - l->minus) * l->times : (double)NAN;
}

static size_t n_patterns(const assay_layout *l)
{
    size_t n = 1;
    for (size_t i = 0; i < l->n_planes; i++) n <<= l->planes[i].width;
    return n;
}

static void note_codes(void *panel, const assay_stored *w, size_t index)
{
    const assay_layout *l = w->codes.layout;
    (void)panel;
    for (size_t r = index * PANEL; r < w->n_out && r < (index + 1) * PANEL; r++)
        for (size_t k = 0; k < w->n_in; k++) {
            double x;
            stored_field(w, &w->codes, r, 1, k, 1, &x, 1);
            for (unsigned code = 0; code < n_patterns(l); code++)
                if (number_of(l, code) == x) is_drawn[code] = true;
        }
}

static void unpack_nothing(float *row, const assay_stored_matrix *w, size_t o)
{
    for (size_t k = 0; k < w->from->n_in; k++) row[k] = (float)o;
}

START_TEST(every_pattern_of_the_codes_is_drawn)
{
    static const assay_matmul_stored stored = {.panel = PANEL,
                                               .supports = supports_all,
                                               .panel_bytes = bytes_of_panel,
                                               .pack = note_codes,
                                               .unpack = unpack_nothing};
    static const assay_kernels kernels = {.matmul_stored = &stored};
    for (size_t format = 0; format < sweep_n_formats(); format++) {
        static sweep s;
        sweep_stored one;
        size_t shape[] = {512, 4, format};
        sweep_format_fit(format, &shape[1], &shape[0]);
        ck_assert(sweep_format_open(format, shape[1], shape[0], NULL, 1, &one));
        memset(is_drawn, 0, sizeof is_drawn);
        ck_assert(sweep_open(&s, SWEEP_STORED[0].name, &kernels, 7));
        SWEEP_STORED[0].run(&s, &SWEEP_STORED[0], shape, SWEEP_RANDOM);
        sweep_close(&s);
        for (unsigned code = 0; code < n_patterns(one.stored.codes.layout); code++)
            ck_assert_msg(is_drawn[code] || isnan(number_of(one.stored.codes.layout, code)), "%s: %u",
                          sweep_format_name(format), code);
        sweep_format_close(&one, true);
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
    tcase_add_test(tc, every_pattern_of_the_codes_is_drawn);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
