/* Types, fill values and texts, as libhdf5 writes them, and as it would not.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/h5_stream.h"
#include "conformance/tests/support.h"
#include "model/dtype.h"

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_path("types.h5");
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Fclose(file), 0);
}

static conf_h5 *open_file(void)
{
    conf_h5 *file;
    assay_error err = {0};
    ck_assert_msg(conf_h5_open(path, &file, &err) == ASSAY_OK, "%s", err.text);
    return file;
}

/* Writes /x, replacing it: n elements of the file's type out of native ones; NULL: nothing. */
static void write_dataset(hid_t type, hid_t native, hsize_t n, const void *values, hid_t plist)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(1, &n, NULL);
    if (H5Lexists(file, "/x", H5P_DEFAULT) > 0) ck_assert_int_ge(H5Ldelete(file, "/x", H5P_DEFAULT), 0);
    hid_t dataset = H5Dcreate2(file, "/x", type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(dataset, 0);
    if (values) ck_assert_int_ge(H5Dwrite(dataset, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    ck_assert_int_ge(H5Fclose(file), 0);
}

/* Contiguous, in chunks, compact. */
static hid_t make_plist(int storage)
{
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 3;
    if (storage == 1) {
        ck_assert_int_ge(H5Pset_chunk(plist, 1, &chunk), 0);
        ck_assert_int_ge(H5Pset_shuffle(plist), 0);
        ck_assert_int_ge(H5Pset_deflate(plist, 6), 0);
    } else if (storage == 2) {
        ck_assert_int_ge(H5Pset_layout(plist, H5D_COMPACT), 0);
    }
    return plist;
}

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
        write_dataset(file_type(dtype, _i % 2), H5T_NATIVE_INT64, N, values, make_plist(storage));
        conf_h5 *file = open_file();
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

START_TEST(what_is_converted_is_read_to_its_last_element)
{
    enum { PIECE = 2048, MOST = 2 * PIECE + 1 };
    static const size_t counts[] = {1, 2, PIECE, PIECE + 1, MOST};
    static int32_t values[MOST];
    for (size_t i = 0; i < MOST; i++) values[i] = (int32_t)i + 1;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        write_dataset(H5T_STD_I32BE, H5T_NATIVE_INT32, counts[i], values, make_plist(0));
        conf_h5 *file = open_file();
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

START_TEST(an_integer_that_no_int64_holds_is_refused)
{
    const uint64_t values[2] = {1, UINT64_MAX};
    write_dataset(H5T_STD_U64LE, H5T_NATIVE_UINT64, 2, values, H5P_DEFAULT);
    conf_h5 *file = open_file();
    conf_array a = {0};
    assay_error err = {0};
    ck_assert_int_eq(conf_h5_read_integers(file, "/x", &a, &err), ASSAY_EFORMAT);
    ck_assert_ptr_null(a.data);
    assert_holds(err.text, "/x: element 1 is larger than an int64");
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
    hid_t plist = make_plist(storage);
    hid_t type =
        attribute ? H5Tcopy(big ? H5T_STD_U16BE : H5T_STD_U16LE) : edit_narrow_type(dtype == ASSAY_BF16, big);
    write_dataset(type, type, storage == 2 ? N_PATTERNS / 4 : N_PATTERNS, patterns, plist);
    (void)H5Pclose(plist);
    (void)H5Tclose(type);
    if (!attribute) return;
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(file, "/x", H5P_DEFAULT);
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
    conf_h5 *file = open_file();
    conf_array a;
    conf_stream *s;
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
    ck_assert_msg(conf_stream_open_types(file, "/x", CONF_H5_FLOATS, &s, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(conf_stream_dtype(s), ASSAY_F32);
    ck_assert_int_eq(conf_stream_stored_dtype(s), dtype);
    ck_assert_uint_eq(conf_stream_row_bytes(s), 4 * a.n);
    char *row = malloc(4 * a.n);
    ck_assert_msg(conf_stream_read(s, &(conf_rect){0, 1, 0, 1}, row, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_mem_eq(row, a.data, 4 * a.n);
    free(row);
    conf_stream_close(s);
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
    conf_h5 *file = open_file();
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
START_TEST(the_case_format_keeps_to_its_types)
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
        write_dataset(type, narrow ? type : H5T_NATIVE_INT64, 2, values, H5P_DEFAULT);
        conf_h5 *file = open_file();
        conf_array a;
        conf_stream *s = NULL;
        assay_error err = {0};
        char expected[128];
        ck_assert_int_eq(conf_h5_read(file, "/x", &a, &err), ASSAY_EFORMAT);
        (void)snprintf(expected, sizeof expected,
                       "/x: its type is none of float64, float32, int64, int32 and uint8: found %s",
                       others[i].name);
        assert_holds(err.text, expected);
        ck_assert_int_eq(conf_h5_shape(file, "/x", &a, &err), ASSAY_EFORMAT);
        assert_holds(err.text, expected);
        ck_assert_int_eq(conf_stream_open(file, "/x", &s, &err), ASSAY_EFORMAT);
        (void)snprintf(expected, sizeof expected, "/x has type %s, expected F64 or F32", others[i].name);
        assert_holds(err.text, expected);
        if (!narrow) {
            ck_assert_int_eq(conf_stream_open_types(file, "/x", CONF_H5_FLOATS, &s, &err), ASSAY_EFORMAT);
            assert_holds(err.text, ", expected F64, F32, F16 or BF16");
        }
        conf_h5_close(file);
    }
}
END_TEST

START_TEST(what_was_never_written_is_the_fill_value)
{
    const double fill = -1.5;
    for (int storage = 0; storage < 2; storage++)
        for (int filled = 0; filled < 2; filled++)
            for (int big = 0; big < 2; big++) {
                hid_t plist = make_plist(storage);
                if (filled) ck_assert_int_ge(H5Pset_fill_value(plist, H5T_NATIVE_DOUBLE, &fill), 0);
                if (storage == 0) ck_assert_int_ge(H5Pset_alloc_time(plist, H5D_ALLOC_TIME_LATE), 0);
                write_dataset(big ? H5T_IEEE_F64BE : H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 5, NULL, plist);
                (void)H5Pclose(plist);
                conf_h5 *file = open_file();
                conf_array a;
                assay_error err = {0};
                ck_assert_msg(conf_h5_read(file, "/x", &a, &err) == ASSAY_OK, "%s", err.text);
                for (size_t i = 0; i < 5; i++)
                    ck_assert_double_eq(((const double *)a.data)[i], filled ? fill : 0);
                conf_array_free(&a);
                conf_h5_close(file);
            }
}
END_TEST

/* Overwrites the only place of the file that holds these bytes. */
static void patch(const void *from, size_t n, off_t skip, const void *to, size_t n_to)
{
    static unsigned char whole[1 << 20];
    int fd = open(path, O_RDWR);
    ssize_t size = pread(fd, whole, sizeof whole, 0);
    off_t at = -1;
    for (ssize_t i = 0; i + (ssize_t)n <= size && at < 0; i++)
        if (memcmp(whole + i, from, n) == 0) at = i;
    ck_assert_int_ge(at, 0);
    ck_assert_int_eq(pwrite(fd, to, n_to, at + skip), (ssize_t)n_to);
    (void)close(fd);
}

static void assert_unreadable(const char *reason)
{
    conf_h5 *file = open_file();
    conf_array a;
    assay_error err = {0};
    ck_assert_int_eq(conf_h5_read(file, "/x", &a, &err), ASSAY_EFORMAT);
    assert_holds(err.text, path);
    assert_holds(err.text, reason);
    conf_h5_close(file);
}

/* A fill value whose message says that it has so many bytes. */
static void write_fill_of(const void *size)
{
    const double fill = 1234.5678;
    unsigned char stored[12] = {8};
    memcpy(stored + 4, &fill, sizeof fill);
    hid_t plist = make_plist(0);
    ck_assert_int_ge(H5Pset_fill_value(plist, H5T_NATIVE_DOUBLE, &fill), 0);
    ck_assert_int_ge(H5Pset_alloc_time(plist, H5D_ALLOC_TIME_LATE), 0);
    write_dataset(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 5, NULL, plist);
    (void)H5Pclose(plist);
    patch(stored, sizeof stored, 0, size, 4);
}

START_TEST(a_fill_value_of_another_size_is_refused)
{
    write_fill_of("\4\0\0\0");
    assert_unreadable("/x: its fill value has 4 bytes, expected 8");
}
END_TEST

START_TEST(a_fill_value_that_is_not_defined_is_zero)
{
    conf_array a;
    assay_error err = {0};
    write_fill_of("\377\377\377\377");
    conf_h5 *file = open_file();
    ck_assert_msg(conf_h5_read(file, "/x", &a, &err) == ASSAY_OK, "%s", err.text);
    for (size_t i = 0; i < 5; i++) ck_assert_double_eq(((const double *)a.data)[i], 0);
    conf_array_free(&a);
    conf_h5_close(file);
}
END_TEST

/* A layout message: version 3, class, then what class says. */
START_TEST(data_of_another_size_than_their_shape_are_refused)
{
    static const unsigned char contiguous[] = {40, 0, 0, 0, 0, 0, 0, 0}, compact[] = {3, 0, 40, 0};
    const double values[5] = {1, 2, 3, 4, 5};
    write_dataset(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 5, values, H5P_DEFAULT);
    patch(contiguous, sizeof contiguous, 0, "\50\1", 2);
    assert_unreadable("/x is stored in 296 bytes, expected 40");
    hid_t plist = make_plist(2);
    write_dataset(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 5, values, plist);
    (void)H5Pclose(plist);
    patch(compact, sizeof compact, 2, "\47", 1);
    assert_unreadable("/x is stored in 39 bytes, expected 40");
    patch("\3\0\47\0", 4, 2, "\377\377", 2);
    assert_unreadable("/x: its layout is damaged");
}
END_TEST

enum { N_TEXTS = 3 };
static const char *const texts[N_TEXTS] = {"stop", "", "length of it all"};

/* A list of strings, as dataset /x and as attribute of the root. */
static void write_texts(bool variable, bool padded_with_spaces, int storage)
{
    hid_t type = H5Tcopy(H5T_C_S1), plist = make_plist(storage);
    const hsize_t n = N_TEXTS;
    char fixed[N_TEXTS][20];
    ck_assert_int_ge(H5Tset_size(type, variable ? H5T_VARIABLE : sizeof fixed[0]), 0);
    if (padded_with_spaces) ck_assert_int_ge(H5Tset_strpad(type, H5T_STR_SPACEPAD), 0);
    memset(fixed, padded_with_spaces ? ' ' : 0, sizeof fixed);
    for (size_t i = 0; i < N_TEXTS; i++) memcpy(fixed[i], texts[i], strlen(texts[i]));
    const void *values = variable ? (const void *)texts : (const void *)fixed;
    write_dataset(type, type, n, values, plist);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(1, &n, NULL);
    if (H5Aexists(file, "flags") > 0) ck_assert_int_ge(H5Adelete(file, "flags"), 0);
    hid_t id = H5Acreate2(file, "flags", type, space, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Awrite(id, type, values), 0);
    (void)H5Aclose(id);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
    (void)H5Tclose(type);
    ck_assert_int_ge(H5Fclose(file), 0);
}

START_TEST(texts_of_every_storage_are_read)
{
    for (int storage = 0; storage < 3; storage++) {
        write_texts(_i == 0, _i == 2, storage);
        conf_h5 *file = open_file();
        conf_strings s[2];
        assay_error err = {0};
        ck_assert_msg(conf_h5_read_strings(file, "/x", &s[0], &err) == ASSAY_OK, "%s", err.text);
        ck_assert_msg(conf_h5_attribute_texts(file, "flags", &s[1], &err) == ASSAY_OK, "%s", err.text);
        for (size_t k = 0; k < 2; k++) {
            ck_assert_uint_eq(s[k].n, N_TEXTS);
            for (size_t i = 0; i < N_TEXTS; i++) ck_assert_str_eq(s[k].at[i], texts[i]);
            conf_strings_free(&s[k]);
        }
        conf_h5_close(file);
    }
}
END_TEST

/* The global heap: an object's index, references and size, and its text. What libhdf5 1.10 makes of these
 * ends in endless loops and in reading and writing beyond its buffers. */
static const struct {
    off_t at; /* from the object's size on */
    const char *bytes;
    size_t n;
} heap_damages[] = {
    {-8, "\0", 1},                                /* the object is free space */
    {-8, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16}, /* of no size */
    {-8, "\377\377", 2},                          /* another index */
    {0, "\3", 1},                                 /* shorter than the text */
    {0, "\0\0\0\1", 4},                           /* beyond the collection */
    {0, "\371\377\377\377\377\377\377\377", 8},   /* wraps when it is padded */
};

START_TEST(a_damaged_global_heap_is_refused)
{
    static const unsigned char object[] = {4, 0, 0, 0, 0, 0, 0, 0, 's', 't', 'o', 'p'};
    write_texts(true, false, 0);
    patch(object, sizeof object, heap_damages[_i].at, heap_damages[_i].bytes, heap_damages[_i].n);
    conf_h5 *file = open_file();
    conf_strings s;
    assay_error err = {0};
    ck_assert_int_eq(conf_h5_read_strings(file, "/x", &s, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "/x: its text in the global heap is damaged");
    conf_h5_close(file);
}
END_TEST

START_TEST(a_text_ends_at_its_first_nul)
{
    write_texts(true, false, 0);
    patch("length of it all", 16, 0, "length\0f it all", 16);
    conf_h5 *file = open_file();
    conf_strings s;
    assay_error err = {0};
    ck_assert_msg(conf_h5_read_strings(file, "/x", &s, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_str_eq(s.at[2], "length");
    conf_strings_free(&s);
    conf_h5_close(file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/h5-types");
    TCase *numbers = tcase_create("numbers");
    tcase_set_timeout(numbers, 60);
    tcase_add_checked_fixture(numbers, setup, support_teardown);
    tcase_add_loop_test(numbers, every_integer_is_read_in_either_byte_order, 0, 16);
    tcase_add_test(numbers, what_is_converted_is_read_to_its_last_element);
    tcase_add_test(numbers, an_integer_that_no_int64_holds_is_refused);
    tcase_add_loop_test(numbers, float16_and_bfloat16_are_widened_exactly, 0, 2);
    tcase_add_test(numbers, uint16_with_another_attribute_is_uint16);
    tcase_add_test(numbers, the_case_format_keeps_to_its_types);
    tcase_add_test(numbers, what_was_never_written_is_the_fill_value);
    tcase_add_test(numbers, a_fill_value_of_another_size_is_refused);
    tcase_add_test(numbers, a_fill_value_that_is_not_defined_is_zero);
    tcase_add_test(numbers, data_of_another_size_than_their_shape_are_refused);
    suite_add_tcase(suite, numbers);
    TCase *text = tcase_create("texts");
    tcase_set_timeout(text, 60);
    tcase_add_checked_fixture(text, setup, support_teardown);
    tcase_add_loop_test(text, texts_of_every_storage_are_read, 0, 3);
    tcase_add_loop_test(text, a_damaged_global_heap_is_refused, 0, 6);
    tcase_add_test(text, a_text_ends_at_its_first_nul);
    suite_add_tcase(suite, text);
    return support_run(suite);
}
