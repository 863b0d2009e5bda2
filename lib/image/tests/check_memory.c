/* Out-of-memory: each allocation of image/ fails in turn. A failure must be reported, leave the out-parameter
 * untouched, and lose no memory (sanitizers).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/tests/deny.h"
#include "base/tests/recorded.h"
#include "base/tests/support.h"
#include "image/config.h"
#include "image/decode.h"
#include "image/patches.h"

#define ALLOCATIONS_MAX 1000

static const char text[] = "{\"image_processor_type\":\"Gemma4ImageProcessor\",\"patch_size\":2,"
                           "\"max_soft_tokens\":70,\"speed\":1,\"size\":{\"height\":2}}";

START_TEST(a_config_that_runs_out_of_memory_is_refused)
{
    for (long i = 0; i < ALLOCATIONS_MAX; i++) {
        image_config config = {.n_notes = 77};
        assay_error err = {0};
        deny(i);
        const assay_status rc = image_config_parse("p", text, sizeof text - 1, false, &config, &err);
        const bool denied = deny_end();
        if (rc != ASSAY_OK) {
            ck_assert_uint_eq(config.n_notes, 77);
            support_expect_error(&err, ASSAY_ENOMEM, "out of memory", NULL);
            continue;
        }
        image_config_free(&config);
        if (!denied) return;
    }
    ck_abort_msg("allocations never end");
}
END_TEST

START_TEST(patches_that_run_out_of_memory_are_refused)
{
    uint8_t rgb[9 * 5 * 3] = {0};
    const image_pixels image = {9, 5, rgb};
    image_config config;
    ck_assert_int_eq(image_config_parse("p", text, sizeof text - 1, false, &config, NULL), ASSAY_OK);
    for (long i = 0; i < ALLOCATIONS_MAX; i++) {
        image_input input = {.n_rows = 77};
        assay_error err = {0};
        deny(i);
        const assay_status rc = image_patches_make(&config, &image, &input, &err);
        if (!deny_end()) {
            ck_assert_int_eq(rc, ASSAY_OK);
            ck_assert_int_gt(i, 8);
            image_input_free(&input);
            image_config_free(&config);
            return;
        }
        ck_assert_int_eq(rc, ASSAY_ENOMEM);
        ck_assert_uint_eq(input.n_rows, 77);
        support_expect_error(&err, ASSAY_ENOMEM, "out of memory", NULL);
    }
    ck_abort_msg("allocations never end");
}
END_TEST

static void decode_denied(const recorded *r)
{
    for (long i = 0; i < ALLOCATIONS_MAX; i++) {
        image_pixels pixels = {77, 0, NULL};
        assay_error err = {0};
        deny(i);
        const assay_status rc = image_decode("f", r->bytes, (size_t)r->numbers[2], &pixels, &err);
        const bool denied = deny_end();
        if (rc == ASSAY_OK && denied) ck_abort_msg("a failed allocation is ignored");
        if (rc == ASSAY_OK) {
            image_pixels_free(&pixels);
            return;
        }
        if (rc != ASSAY_ENOMEM || pixels.height != 77) ck_abort_msg("%s", err.text);
    }
    ck_abort_msg("allocations never end");
}

START_TEST(files_that_run_out_of_memory_are_refused)
{
    (void)recorded_each("lib/image/tests/vectors/decoded.bin", decode_denied);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("image/memory");
    TCase *tests = tcase_create("memory");
    tcase_add_test(tests, a_config_that_runs_out_of_memory_is_refused);
    tcase_add_test(tests, patches_that_run_out_of_memory_are_refused);
    tcase_add_test(tests, files_that_run_out_of_memory_are_refused);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
