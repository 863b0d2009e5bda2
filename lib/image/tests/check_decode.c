/* Tests of image/decode against recorded pixels of PIL, and of what it refuses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/buffer.h"
#include "base/tests/recorded.h"
#include "base/tests/support.h"
#include "image/exif.h"
#include "image/inflate.h"

/* numbers: height, width, bytes of the file. */
static void check_file(const recorded *r)
{
    static size_t index;
    const long *n = r->numbers;
    const uint8_t *expected = r->bytes + n[2];
    image_pixels out;
    assay_error err = {0};
    if (image_decode("f", r->bytes, (size_t)n[2], &out, &err) != ASSAY_OK)
        ck_abort_msg("file %zu (%.4s): %s", index, (const char *)r->bytes, err.text);
    ck_assert_uint_eq(out.height, (size_t)n[0]);
    ck_assert_uint_eq(out.width, (size_t)n[1]);
    for (long i = 0; i < n[0] * n[1] * 3; i++)
        if (out.rgb[i] != expected[i])
            ck_abort_msg("file %zu (%.4s): byte %ld: expected %d, found %d", index, (const char *)r->bytes, i,
                         expected[i], out.rgb[i]);
    image_pixels_free(&out);
    index++;
}

START_TEST(pixels_are_those_of_pil)
{
    ck_assert_uint_ge(recorded_each("lib/image/tests/vectors/decoded.bin", check_file), 80);
}
END_TEST

/* The exact size of the data, so that reading beyond it is found by sanitizers. */
static assay_status decode_part(const uint8_t *data, size_t n, image_pixels *out, assay_error *err)
{
    uint8_t *copy = malloc(n ? n : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, data, n);
    const assay_status rc = image_decode("f", copy, n, out, err);
    free(copy);
    return rc;
}

/* Only the end marker of a JPEG file, white space at the end of a plain file, and what follows the last row
 * of a PNG file may be missing. */
static void check_truncated(const recorded *r)
{
    const size_t n = (size_t)r->numbers[2], tail = r->bytes[0] == 0x89 ? 22 : 5;
    for (size_t i = 0; i<n; i += n> 400 ? 7 : 1) {
        image_pixels out = {7, 7, NULL};
        assay_error err = {0};
        const assay_status rc = decode_part(r->bytes, i, &out, &err);
        if (rc == ASSAY_OK) image_pixels_free(&out);
        else if (out.height != 7 || err.status != rc || !err.text[0]) ck_abort_msg("a refusal is incomplete");
        if (rc == ASSAY_OK && i + tail < n)
            ck_abort_msg("%.2s: the first %zu of %zu bytes are accepted", (const char *)r->bytes, i, n);
    }
}

START_TEST(truncated_files_are_refused)
{
    (void)recorded_each("lib/image/tests/vectors/decoded.bin", check_truncated);
}
END_TEST

/* Where the chunk of the image data of a PNG file begins. */
static size_t find_image_data(const uint8_t *data, size_t n)
{
    size_t at = 0;
    while (at + 4 < n && memcmp(data + at + 4, "IDAT", 4) != 0) at++;
    return at;
}

/* As Pillow, the reader of PNG files does not compare the checksums of the image data and of what follows. */
static void check_damaged(const recorded *r)
{
    const size_t n = (size_t)r->numbers[2];
    const size_t image_data = r->bytes[0] == 0x89 ? find_image_data(r->bytes, n) : 0;
    uint8_t *copy = malloc(n);
    ck_assert_ptr_nonnull(copy);
    for (size_t i = 0; i<n; i += n> 400 ? 11 : 1) {
        image_pixels out;
        memcpy(copy, r->bytes, n);
        copy[i] ^= 0x55;
        if (image_decode("f", copy, n, &out, NULL) != ASSAY_OK) continue;
        image_pixels_free(&out);
        if (i >= 8 && i < image_data) ck_abort_msg("a PNG file with a damaged head is accepted");
    }
    free(copy);
}

START_TEST(damaged_files_do_no_harm)
{
    (void)recorded_each("lib/image/tests/vectors/decoded.bin", check_damaged);
}
END_TEST

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

static const struct {
    const uint8_t *data;
    size_t n;
    assay_status status;
    const char *fragment;
} REFUSED[] = {
    {BYTES(""), ASSAY_EUNSUPPORTED, "expected a PNG, JPEG, WebP, GIF, BMP, PBM, PGM, PPM or PFM file"},
    {BYTES("II*\0"), ASSAY_EUNSUPPORTED, "expected a PNG, JPEG, WebP, GIF, BMP, PBM, PGM, PPM or PFM file"},
    {BYTES("GIF89a"), ASSAY_EFORMAT, "truncated"},
    {BYTES("BM"), ASSAY_EFORMAT, "truncated"},
    {BYTES("RIFF\4\0\0\0WEBP"), ASSAY_EFORMAT, "damaged or truncated"},
    {BYTES("P0 1 1 1"), ASSAY_EUNSUPPORTED, "found the magic number \"P0\""},
    {BYTES("P62 1 255\n"), ASSAY_EUNSUPPORTED, "found the magic number \"P62\""},
    {BYTES("P6 00000000002 1 255\n"), ASSAY_EFORMAT, "width: expected a whole number"},
    {BYTES("P6 50000 50000 255\n"), ASSAY_EUNSUPPORTED, "50000 x 50000"},
    {BYTES("P6 999999999999999999999 1 255\n"), ASSAY_EFORMAT, "width: expected a whole number"},
    {BYTES("P6 2x 1 255\n"), ASSAY_EFORMAT, "width: expected a whole number"},
    {BYTES("P6 2 0 255\n"), ASSAY_EFORMAT, "height: expected a whole number from 1"},
    {BYTES("P6 1 1 65536\n"), ASSAY_EFORMAT, "largest value"},
    {BYTES("P6 1 1 255\n\1\2"), ASSAY_EFORMAT, "truncated"},
    {BYTES("P2 1 1 9 10"), ASSAY_EFORMAT, "sample: expected a whole number from 0 to 9"},
    /* 50,000 x 50,000 gray pixels, and no data. */
    {BYTES("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xc3\x50\0\0\xc3\x50\x08\0\0\0\0\x6e\xc4\x62\x16"
           "\0\0\0\0IDAT\x35\xaf\x06\x1e\0\0\0\0IEND\xae\x42\x60\x82"),
     ASSAY_EUNSUPPORTED, "50000 x 50000"},
    /* Two components. */
    {BYTES("\xff\xd8\xff\xc0\0\x0e\x08\0\1\0\1\2\1\x11\0\2\x11\0\xff\xda\0\x0a\2\1\0\2\0\0\x3f\0"),
     ASSAY_EUNSUPPORTED, "a JPEG of 2 components, expected 1, 3 or 4"},
    /* 50,000 x 50,000 pixels. */
    {BYTES("\xff\xd8\xff\xc0\0\x0b\x08\xc3\x50\xc3\x50\1\1\x11\0\xff\xda\0\x08\1\1\0\0\x3f\0"),
     ASSAY_EUNSUPPORTED, "50000 x 50000"},
};

START_TEST(a_refusal_says_why)
{
    image_pixels out = {7, 7, NULL};
    assay_error err = {0};
    ck_assert_int_ne(decode_part(REFUSED[_i].data, REFUSED[_i].n, &out, &err), ASSAY_OK);
    support_expect_error(&err, REFUSED[_i].status, "f: ", REFUSED[_i].fragment, NULL);
    ck_assert_uint_eq(out.height, 7);
}
END_TEST

static int orientation_of(const uint8_t *data, size_t n, bool *is_valid)
{
    int orientation = 1;
    bool has_tag = false;
    *is_valid = image_exif_read(data, n, &orientation, &has_tag);
    return orientation;
}

START_TEST(exif_data_that_is_cut_off_is_upright)
{
    static const uint8_t valid[] = "II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0";
    bool is_valid;
    ck_assert_int_eq(orientation_of(valid, 22, &is_valid), 6);
    for (size_t n = 0; n < 22; n++) {
        ck_assert_int_eq(orientation_of(valid, n, &is_valid), 1);
        ck_assert_int_eq(is_valid, n == 0 || n >= 8);
    }
    ck_assert_int_eq(orientation_of((const uint8_t *)"II*\0\xff\xff\xff\xff\1\0", 10, &is_valid), 1);
    ck_assert(is_valid);
}
END_TEST

/* A PNG file with n copies of a text that inflates to 1 MiB. */
static buffer png_of_texts(size_t n)
{
    static const char head[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0\x3a\x7e\x9b\x55";
    static uint8_t text[IMAGE_TEXT_MAX], chunk[8192] = "....zTXtk\0";
    uLongf n_packed = sizeof chunk - 15;
    buffer file = {0};
    ck_assert_int_eq(compress(chunk + 11, &n_packed, text, sizeof text), Z_OK);
    const size_t n_data = n_packed + 3;
    const uLong crc = crc32_z(0, chunk + 4, n_data + 4);
    for (size_t i = 0; i < 4; i++) {
        chunk[i] = (uint8_t)(n_data >> (24 - 8 * i));
        chunk[8 + n_data + i] = (uint8_t)(crc >> (24 - 8 * i));
    }
    ck_assert(buffer_append(&file, head, sizeof head - 1));
    for (size_t i = 0; i < n; i++) ck_assert(buffer_append(&file, (const char *)chunk, n_data + 12));
    return file;
}

/* Both files lack image data: the message tells which check has ended the reading. */
START_TEST(texts_of_more_than_64_mib_are_refused)
{
    for (size_t n = 64; n <= 65; n++) {
        image_pixels out = {7, 7, NULL};
        assay_error err = {0};
        buffer file = png_of_texts(n);
        ck_assert_int_ne(decode_part((const uint8_t *)file.data, file.n, &out, &err), ASSAY_OK);
        support_expect_error(&err, ASSAY_EFORMAT,
                             "f: ", n == 64 ? "found no image data" : "the limit of Pillow", NULL);
        buffer_free(&file);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("image/decode");
    TCase *tests = tcase_create("decode");
    tcase_add_test(tests, pixels_are_those_of_pil);
    tcase_add_test(tests, truncated_files_are_refused);
    tcase_add_test(tests, damaged_files_do_no_harm);
    tcase_add_loop_test(tests, a_refusal_says_why, 0, (int)(sizeof REFUSED / sizeof *REFUSED));
    tcase_add_test(tests, exif_data_that_is_cut_off_is_upright);
    tcase_add_test(tests, texts_of_more_than_64_mib_are_refused);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
