/* Typed reading of metadata.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "gguf/metadata.h"

#include "base/tests/support.h"
#include "gguf/tests/writer.h"

#include <string.h>

static gguf *file;

/* One key of each kind, named after it, and arrays. */
static void setup(void)
{
    static const char WITH_ZERO[] = {'x', '\0', (char)0xff};
    buffer b = {0};
    writer_header(&b, 0, 17);
    writer_key(&b, "u8", GGUF_U8);
    writer_u8(&b, 200);
    writer_key(&b, "i8", GGUF_I8);
    writer_u8(&b, (uint8_t)-3);
    writer_key(&b, "u16", GGUF_U16);
    writer_u16(&b, 60000);
    writer_key(&b, "i16", GGUF_I16);
    writer_u16(&b, (uint16_t)-300);
    writer_key_u32(&b, "u32", 4000000000U);
    writer_key(&b, "i32", GGUF_I32);
    writer_u32(&b, (uint32_t)-70000);
    writer_key(&b, "f32", GGUF_F32);
    writer_f32(&b, 1e-5F);
    writer_key(&b, "bool", GGUF_BOOL);
    writer_u8(&b, 1);
    writer_key_text(&b, "string", "text");
    writer_key(&b, "u64", GGUF_U64);
    writer_u64(&b, UINT64_MAX);
    writer_key(&b, "i64", GGUF_I64);
    writer_u64(&b, (uint64_t)-5);
    writer_key(&b, "f64", GGUF_F64);
    writer_f64(&b, 0.1);
    writer_array(&b, "texts", GGUF_TEXT, 3);
    writer_text(&b, "");
    writer_u64(&b, sizeof WITH_ZERO);
    ck_assert(buffer_append(&b, WITH_ZERO, sizeof WITH_ZERO));
    writer_text(&b, "last");
    writer_array(&b, "numbers", GGUF_I32, 2);
    writer_u32(&b, (uint32_t)-1);
    writer_u32(&b, 9);
    writer_array(&b, "none", GGUF_F32, 0);
    writer_array(&b, "bools", GGUF_BOOL, 2);
    writer_u8(&b, 0);
    writer_u8(&b, 1);
    writer_key(&b, "positive", GGUF_I8);
    writer_u8(&b, 7);
    ck_assert_int_eq(gguf_open(writer_file(&b, "metadata.gguf"), &file, NULL), ASSAY_OK);
}

static void teardown(void)
{
    gguf_free(file);
}

START_TEST(numbers_of_every_type_are_read)
{
    static const struct {
        const char *key;
        double value;
    } ROWS[] = {{"u8", 200},           {"i8", -3},      {"u16", 60000}, {"i16", -300},
                {"u32", 4000000000.0}, {"i32", -70000}, {"f32", 1e-5F}, {"u64", 18446744073709551616.0},
                {"i64", -5},           {"f64", 0.1}};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        double value = 1e300;
        ck_assert_int_eq(gguf_get_number(file, ROWS[i].key, &value, NULL), ASSAY_OK);
        ck_assert_msg(value == ROWS[i].value, "%s: %.17g", ROWS[i].key, value);
    }
}
END_TEST

START_TEST(integers_that_are_not_negative_are_read)
{
    static const struct {
        const char *key;
        uint64_t value;
    } ROWS[] = {{"u8", 200}, {"u16", 60000}, {"u32", 4000000000U}, {"u64", UINT64_MAX}, {"positive", 7}};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        uint64_t value = 1;
        ck_assert_int_eq(gguf_get_unsigned(file, ROWS[i].key, &value, NULL), ASSAY_OK);
        ck_assert_uint_eq(value, ROWS[i].value);
    }
}
END_TEST

START_TEST(texts_hold_any_bytes)
{
    assay_text text = {0};
    const gguf_value *texts = NULL;
    ck_assert_int_eq(gguf_get_text(file, "string", &text, NULL), ASSAY_OK);
    ck_assert(text.n == 4 && memcmp(text.at, "text", 4) == 0);
    ck_assert_int_eq(gguf_get_texts(file, "texts", &texts, NULL), ASSAY_OK);
    gguf_texts next = gguf_value_texts(texts);
    ck_assert(gguf_texts_next(&next, &text) && text.n == 0);
    ck_assert(gguf_texts_next(&next, &text) && text.n == 3 && memcmp(text.at, "x\0\xff", 3) == 0);
    ck_assert(gguf_texts_next(&next, &text) && text.n == 4 && memcmp(text.at, "last", 4) == 0);
    ck_assert(!gguf_texts_next(&next, &text));
}
END_TEST

START_TEST(arrays_are_read_by_index)
{
    const gguf_value *v = NULL;
    double number = 0;
    uint64_t integer = 5;
    bool is = false;
    ck_assert_int_eq(gguf_get_numbers(file, "numbers", &v, NULL), ASSAY_OK);
    ck_assert_uint_eq(v->count, 2);
    ck_assert(gguf_value_number(v, 0, &number) && number == -1);
    ck_assert(!gguf_value_unsigned(v, 0, &integer) && integer == 5);
    ck_assert(gguf_value_unsigned(v, 1, &integer) && integer == 9);
    ck_assert(!gguf_value_bool(v, 0, &is));
    ck_assert_int_eq(gguf_get_numbers(file, "none", &v, NULL), ASSAY_OK);
    ck_assert_uint_eq(v->count, 0);
    v = gguf_get(file, "bools");
    ck_assert(gguf_value_bool(v, 1, &is) && is);
    ck_assert(gguf_value_bool(v, 0, &is) && !is);
    ck_assert(!gguf_value_number(v, 0, &number));
    ck_assert(gguf_get_bool(file, "bool", &is, NULL) == ASSAY_OK && is);
}
END_TEST

START_TEST(an_absent_key_changes_nothing)
{
    uint64_t integer = 3;
    double number = 3;
    bool is = true;
    assay_text text = {"x", 1};
    const gguf_value *v = NULL;
    ck_assert(gguf_get_unsigned(file, "absent", &integer, NULL) == ASSAY_OK && integer == 3);
    ck_assert(gguf_get_number(file, "absent", &number, NULL) == ASSAY_OK && number == 3);
    ck_assert(gguf_get_bool(file, "absent", &is, NULL) == ASSAY_OK && is);
    ck_assert(gguf_get_text(file, "absent", &text, NULL) == ASSAY_OK && text.n == 1);
    ck_assert(gguf_get_texts(file, "absent", &v, NULL) == ASSAY_OK && !v);
    ck_assert(gguf_get_numbers(file, "absent", &v, NULL) == ASSAY_OK && !v);
    assay_error err = {0};
    ck_assert_int_eq(gguf_require(file, "absent", &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "metadata.gguf: key 'absent': found nothing",
                         "expected a value", NULL);
    ck_assert_int_eq(gguf_require(file, "u8", NULL), ASSAY_OK);
}
END_TEST

START_TEST(another_type_is_refused)
{
    uint64_t integer;
    double number;
    bool is;
    assay_text text;
    const gguf_value *v;
    assay_error err = {0};
#define REFUSED(call, found, expected)                                                                       \
    do {                                                                                                     \
        ck_assert_int_eq(call, ASSAY_EFORMAT);                                                               \
        support_expect_error(&err, ASSAY_EFORMAT, "metadata.gguf: key '", found, expected, NULL);            \
    } while (0)
    REFUSED(gguf_get_unsigned(file, "i64", &integer, &err), "found type i64 (-5)",
            "an integer that is not negative");
    REFUSED(gguf_get_unsigned(file, "f32", &integer, &err), "found type f32",
            "an integer that is not negative");
    REFUSED(gguf_get_unsigned(file, "numbers", &integer, &err), "found type array of i32", "an integer");
    REFUSED(gguf_get_number(file, "string", &number, &err), "found type string", "expected a number");
    REFUSED(gguf_get_number(file, "bool", &number, &err), "found type bool", "expected a number");
    REFUSED(gguf_get_bool(file, "u8", &is, &err), "found type u8 (200)", "expected bool");
    REFUSED(gguf_get_bool(file, "bools", &is, &err), "found type array of bool", "expected bool");
    REFUSED(gguf_get_text(file, "texts", &text, &err), "found type array of string", "expected string");
    REFUSED(gguf_get_texts(file, "string", &v, &err), "found type string", "expected array of string");
    REFUSED(gguf_get_numbers(file, "texts", &v, &err), "found type array of string",
            "expected an array of numbers");
    REFUSED(gguf_get_numbers(file, "bools", &v, &err), "found type array of bool",
            "expected an array of numbers");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gguf/metadata");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, numbers_of_every_type_are_read);
    tcase_add_test(t, integers_that_are_not_negative_are_read);
    tcase_add_test(t, texts_hold_any_bytes);
    tcase_add_test(t, arrays_are_read_by_index);
    tcase_add_test(t, an_absent_key_changes_nothing);
    tcase_add_test(t, another_type_is_refused);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
