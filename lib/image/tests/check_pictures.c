/* Tests of image/decode against the verdicts of transformers' load_image on picture files of every kind,
 * valid and invalid (scripts/record/preprocess/pictures).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/tests/recorded.h"
#include "base/tests/support.h"

enum { N_PICTURES_MIN = 800 };

static size_t n_pictures, n_different;

/* numbers: height, width and CRC-32 of the pixels; zeros for a file that is refused. The file has the exact
 * size of its allocation, so that reading beyond it is found by sanitizers. */
static void compare_picture(const recorded *r)
{
    image_pixels out = {7, 7, NULL};
    assay_error err = {0};
    uint8_t *copy = malloc(r->n_bytes ? r->n_bytes : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, r->bytes, r->n_bytes);
    const assay_status rc = image_decode("f", copy, r->n_bytes, &out, &err);
    free(copy);
    size_t height = 0, width = 0;
    unsigned long crc = 0;
    if (rc == ASSAY_OK) {
        height = out.height;
        width = out.width;
        crc = crc32_z(0, out.rgb, height * width * 3);
        image_pixels_free(&out);
    } else if (out.height != 7 || err.status != rc || strncmp(err.text, "f: ", 3) != 0) {
        ck_abort_msg("%s: a refusal is incomplete", r->name);
    }
    n_pictures++;
    if (height == (size_t)r->numbers[0] && width == (size_t)r->numbers[1] &&
        crc == (unsigned long)r->numbers[2])
        return;
    n_different++;
    printf("picture %zu, %s: expected %ld x %ld, %08lx, found %zu x %zu, %08lx %s\n", n_pictures - 1, r->name,
           r->numbers[0], r->numbers[1], (unsigned long)r->numbers[2], height, width, crc, err.text);
}

START_TEST(pictures_are_read_or_refused_as_by_load_image)
{
    n_pictures = n_different = 0;
    const size_t n = recorded_each("lib/image/tests/vectors/pictures.bin", compare_picture);
    (void)fflush(stdout);
    ck_assert_uint_ge(n, N_PICTURES_MIN);
    ck_assert_msg(n_different == 0, "%zu of %zu pictures differ", n_different, n);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("image/pictures");
    TCase *tests = tcase_create("pictures");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, pictures_are_read_or_refused_as_by_load_image);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
