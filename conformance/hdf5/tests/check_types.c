/* Types of numbers, as libhdf5 writes them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/hdf5/rows.h"
#include "conformance/hdf5/text.h"
#include "conformance/tests/stored.h"
#include "conformance/tests/support.h"

static hid_t file_type(assay_dtype dtype, bool big)
{
    switch (dtype) {
    case ASSAY_I64: return big ? H5T_STD_I64BE : H5T_STD_I64LE;
    case ASSAY_I32: return big ? H5T_STD_I32BE : H5T_STD_I32LE;
    case ASSAY_I16: return big ? H5T_STD_I16BE : H5T_STD_I16LE;
    case ASSAY_I8: return big ? H5T_STD_I8BE : H5T_STD_I8LE;
    case ASSAY_U64: return big ? H5T_STD_U64BE : H5T_STD_U64LE;
    case ASSAY_U32: return big ? H5T_STD_U32BE : H5T_STD_U32LE;
    case ASSAY_U16: return big ? H5T_STD_U16BE : H5T_STD_U16LE;
    default: return big ? H5T_STD_U8BE : H5T_STD_U8LE;
    }
}

static const assay_dtype integers[] = {ASSAY_I64, ASSAY_I32, ASSAY_I16, ASSAY_I8,
                                       ASSAY_U64, ASSAY_U32, ASSAY_U16, ASSAY_U8};

START_TEST(every_integer_is_read_in_either_byte_order)
{
    enum { N = 7 };
    assay_dtype dtype = integers[_i / 2];
    bool is_signed = dtype == ASSAY_I64 || dtype == ASSAY_I32 || dtype == ASSAY_I16 || dtype == ASSAY_I8;
    size_t bits = 8 * dtype_size(dtype);
    int64_t most = (int64_t)(UINT64_MAX >> 1 >> (64 - bits)), least = is_signed ? -most - 1 : 0;
    if (!is_signed && bits < 64) most = 2 * most + 1;
    const int64_t values[N] = {0, 1, most, least, most / 3, 42, least + 5};
    for (int storage = 0; storage < 3; storage++) {
        stored_write(file_type(dtype, _i % 2), H5T_NATIVE_INT64, N, values, stored_plist(storage));
        conf_h5 *file = stored_open();
        conf_array a;
        assay_error err = {0};
        ck_assert_msg(conf_h5_read_integers(file, "/x", &a, &err) == ASSAY_OK, "%s", err.text);
        ck_assert_int_eq(a.dtype, ASSAY_I64);
        ck_assert_mem_eq(a.data, values, sizeof values);
        conf_array_free(&a);
        ck_assert_msg(conf_h5_read_types(file, "/x", CONF_H5_TYPE(dtype), &a, &err) == ASSAY_OK, "%s",
                      err.text);
        ck_assert_int_eq(a.dtype, dtype);
        conf_array_free(&a);
        conf_signature s;
        ck_assert_int_eq(conf_h5_signature(file, "/x", &s, &err), ASSAY_OK);
        ck_assert_str_eq(s.type, dtype_name(dtype));
        ck_assert_str_eq(s.shape, "[7]");
        conf_h5_close(file);
    }
}
END_TEST

START_TEST(converted_numbers_are_read_to_the_last_element)
{
    enum { PIECE = 2048, MOST = 2 * PIECE + 1 };
    static const size_t counts[] = {1, 2, PIECE, PIECE + 1, MOST};
    static int32_t values[MOST];
    for (size_t i = 0; i < MOST; i++) values[i] = (int32_t)i + 1;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        stored_write(H5T_STD_I32BE, H5T_NATIVE_INT32, counts[i], values, stored_plist(0));
        conf_h5 *file = stored_open();
        conf_array a;
        assay_error err = {0};
        ck_assert_msg(conf_h5_read_types(file, "/x", CONF_H5_TYPE(ASSAY_I32), &a, &err) == ASSAY_OK, "%s",
                      err.text);
        ck_assert_mem_eq(a.data, values, counts[i] * sizeof *values);
        conf_array_free(&a);
        conf_h5_close(file);
    }
}
END_TEST

START_TEST(an_integer_beyond_int64_is_refused)
{
    const uint64_t values[2] = {1, UINT64_MAX};
    stored_write(H5T_STD_U64LE, H5T_NATIVE_UINT64, 2, values, H5P_DEFAULT);
    conf_h5 *file = stored_open();
    conf_array a = {0};
    assay_error err = {0};
    ck_assert_int_eq(conf_h5_read_integers(file, "/x", &a, &err), ASSAY_EFORMAT);
    ck_assert_ptr_null(a.data);
    assert_holds(err.text, "/x: element 1 is 18446744073709551615, larger than an int64");
    conf_h5_close(file);
}
END_TEST

/* float16 and bfloat16 as HDF5 describes them. */
enum { N_PATTERNS = 65536 };

/* All patterns of 16 bits, stored as they are. */
static void write_patterns(assay_dtype dtype, bool big, int storage, const char *attribute)
{
    static uint16_t patterns[N_PATTERNS];
    for (size_t i = 0; i < N_PATTERNS; i++) patterns[i] = (uint16_t)(big ? i >> 8 | i << 8 : i);
    hid_t plist = stored_plist(storage);
    hid_t type =
        attribute ? H5Tcopy(big ? H5T_STD_U16BE : H5T_STD_U16LE) : edit_narrow_type(dtype == ASSAY_BF16, big);
    stored_write(type, type, storage == 2 ? N_PATTERNS / 4 : N_PATTERNS, patterns, plist);
    (void)H5Pclose(plist);
    (void)H5Tclose(type);
    if (!attribute) return;
    hid_t file = H5Fopen(stored_path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(file, "/x", H5P_DEFAULT);
    hid_t text = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    bool fixed = storage == 0;
    ck_assert_int_ge(H5Tset_size(text, fixed ? strlen(attribute) : H5T_VARIABLE), 0);
    hid_t id = H5Acreate2(dataset, "dtype", text, space, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Awrite(id, text, fixed ? (const void *)attribute : (const void *)&attribute), 0);
    (void)H5Aclose(id);
    (void)H5Tclose(text);
    (void)H5Sclose(space);
    (void)H5Dclose(dataset);
    ck_assert_int_ge(H5Fclose(file), 0);
}

static void assert_widened(assay_dtype dtype)
{
    conf_h5 *file = stored_open();
    conf_array a;
    conf_h5_rows *s;
    conf_signature signature;
    assay_error err = {0};
    ck_assert_msg(conf_h5_read_types(file, "/x", CONF_H5_FLOATS, &a, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(a.dtype, ASSAY_F32);
    for (size_t i = 0; i < a.n; i++) {
        float found,
            expected = dtype == ASSAY_F16 ? dtype_f16_to_f32((uint16_t)i) : dtype_bf16_to_f32((uint16_t)i);
        memcpy(&found, (const char *)a.data + 4 * i, 4);
        ck_assert_msg(memcmp(&found, &expected, 4) == 0, "pattern %zu is %g instead of %g", i, (double)found,
                      (double)expected);
    }
    ck_assert_msg(conf_h5_rows_open_types(file, "/x", CONF_H5_FLOATS, &s, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(conf_h5_rows_dtype(s), ASSAY_F32);
    ck_assert_int_eq(conf_h5_rows_stored_dtype(s), dtype);
    ck_assert_uint_eq(conf_h5_rows_row_bytes(s), 4 * a.n);
    char *row = malloc(4 * a.n);
    ck_assert_msg(conf_h5_rows_read(s, &(conf_rect){0, 1, 0, 1}, row, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_mem_eq(row, a.data, 4 * a.n);
    free(row);
    conf_h5_rows_close(s);
    ck_assert_int_eq(conf_h5_signature(file, "/x", &signature, &err), ASSAY_OK);
    ck_assert_str_eq(signature.type, dtype_name(dtype));
    ck_assert_int_eq(signature.dtype, dtype);
    conf_array_free(&a);
    conf_h5_close(file);
}

START_TEST(float16_and_bfloat16_are_widened_exactly)
{
    for (int storage = 0; storage < 3; storage++) {
        write_patterns(ASSAY_F16, _i, storage, NULL);
        assert_widened(ASSAY_F16);
        write_patterns(ASSAY_BF16, _i, storage, NULL);
        assert_widened(ASSAY_BF16);
        write_patterns(ASSAY_BF16, _i, storage, "bfloat16");
        assert_widened(ASSAY_BF16);
    }
}
END_TEST

START_TEST(uint16_with_another_attribute_is_uint16)
{
    write_patterns(ASSAY_U16, false, 0, "float16");
    conf_h5 *file = stored_open();
    conf_array a;
    assay_error err = {0};
    ck_assert_int_eq(conf_h5_read_types(file, "/x", CONF_H5_FLOATS, &a, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "/x: its type is none of float64, float32, float16 and bfloat16: found U16");
    ck_assert_int_eq(conf_h5_read_integers(file, "/x", &a, &err), ASSAY_OK);
    conf_array_free(&a);
    conf_h5_close(file);
}
END_TEST

/* What readers of cases accept does not grow with the types that can be read. */
START_TEST(the_case_format_accepts_only_its_types)
{
    static const struct {
        assay_dtype dtype;
        const char *name;
    } others[] = {{ASSAY_I16, "I16"}, {ASSAY_I8, "I8"},   {ASSAY_U64, "U64"},  {ASSAY_U32, "U32"},
                  {ASSAY_U16, "U16"}, {ASSAY_F16, "F16"}, {ASSAY_BF16, "BF16"}};
    const int64_t values[2] = {1, 2};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        bool narrow = dtype_is_float(others[i].dtype);
        hid_t type = narrow ? edit_narrow_type(others[i].dtype == ASSAY_BF16, false)
                            : file_type(others[i].dtype, false);
        stored_write(type, narrow ? type : H5T_NATIVE_INT64, 2, values, H5P_DEFAULT);
        conf_h5 *file = stored_open();
        conf_array a;
        conf_h5_rows *s = NULL;
        assay_error err = {0};
        char expected[128];
        ck_assert_int_eq(conf_h5_read(file, "/x", &a, &err), ASSAY_EFORMAT);
        (void)snprintf(expected, sizeof expected,
                       "/x: its type is none of float64, float32, int64, int32 and uint8: found %s",
                       others[i].name);
        assert_holds(err.text, expected);
        ck_assert_int_eq(conf_h5_shape(file, "/x", &a, &err), ASSAY_EFORMAT);
        assert_holds(err.text, expected);
        ck_assert_int_eq(conf_h5_rows_open(file, "/x", &s, &err), ASSAY_EFORMAT);
        (void)snprintf(expected, sizeof expected, "/x has type %s, expected F64 or F32", others[i].name);
        assert_holds(err.text, expected);
        if (!narrow) {
            ck_assert_int_eq(conf_h5_rows_open_types(file, "/x", CONF_H5_FLOATS, &s, &err), ASSAY_EFORMAT);
            assert_holds(err.text, ", expected F64, F32, F16 or BF16");
        }
        conf_h5_close(file);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/types");
    TCase *numbers = tcase_create("numbers");
    tcase_set_timeout(numbers, 60);
    tcase_add_checked_fixture(numbers, stored_setup, support_teardown);
    tcase_add_loop_test(numbers, every_integer_is_read_in_either_byte_order, 0, 16);
    tcase_add_test(numbers, converted_numbers_are_read_to_the_last_element);
    tcase_add_test(numbers, an_integer_beyond_int64_is_refused);
    tcase_add_loop_test(numbers, float16_and_bfloat16_are_widened_exactly, 0, 2);
    tcase_add_test(numbers, uint16_with_another_attribute_is_uint16);
    tcase_add_test(numbers, the_case_format_accepts_only_its_types);
    suite_add_tcase(suite, numbers);
    return support_run(suite);
}
