/* Messages that lie elsewhere in the file, which are refused, and dataspaces of one element or of none.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/hdf5/data.h"
#include "conformance/hdf5/rows.h"
#include "conformance/hdf5/text.h"
#include "conformance/tests/support.h"

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_path("shared.h5");
}

static hid_t create_file(unsigned shared_messages)
{
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    if (shared_messages) {
        ck_assert_int_ge(H5Pset_shared_mesg_nindexes(creation, 1), 0);
        ck_assert_int_ge(H5Pset_shared_mesg_index(creation, 0, shared_messages, 1), 0);
    }
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    ck_assert_int_ge(file, 0);
    (void)H5Pclose(creation);
    return file;
}

static conf_h5 *open_file(void)
{
    conf_h5 *file;
    assay_error err = {0};
    ck_assert_msg(conf_h5_open(path, &file, &err) == ASSAY_OK, "%s", err.text);
    return file;
}

static void add_dataset(hid_t file, const char *name, hid_t type, hid_t space, hid_t plist, const void *value)
{
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(dataset, 0);
    if (value) ck_assert_int_ge(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value), 0);
    (void)H5Dclose(dataset);
}

static void add_attribute(hid_t object, const char *name, hid_t type, hid_t space, const void *value)
{
    hid_t id = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(id, 0);
    if (value) ck_assert_int_ge(H5Awrite(id, type, value), 0);
    (void)H5Aclose(id);
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

START_TEST(a_dataset_of_a_named_type_is_refused)
{
    hid_t file = create_file(0), type = H5Tcopy(H5T_STD_I32LE), space = H5Screate(H5S_SCALAR);
    const int32_t value = 7;
    ck_assert_int_ge(H5Tcommit2(file, "/type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), 0);
    add_dataset(file, "/x", type, space, H5P_DEFAULT, &value);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    ck_assert_int_ge(H5Fclose(file), 0);
    assert_unreadable("/x shares its type or its layout with other objects; expected its own");
}
END_TEST

START_TEST(an_attribute_of_a_named_type_is_refused)
{
    hid_t file = create_file(0), type = H5Tcopy(H5T_STD_I32LE), space = H5Screate(H5S_SCALAR);
    const int32_t value = 7;
    assay_error err = {0};
    conf_h5 *opened;
    ck_assert_int_ge(H5Tcommit2(file, "/type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), 0);
    add_attribute(file, "number", type, space, &value);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    ck_assert_int_ge(H5Fclose(file), 0);
    ck_assert_int_eq(conf_h5_open(path, &opened, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "the attributes of / are damaged");
}
END_TEST

static const struct {
    unsigned shared;
    const char *reason;
} messages[] = {
    {H5O_SHMESG_DTYPE_FLAG, "/x shares its type or its layout"},
    {H5O_SHMESG_SDSPACE_FLAG, "/x shares its type or its layout"},
    {H5O_SHMESG_PLINE_FLAG, "/x shares its type or its layout"},
    {H5O_SHMESG_FILL_FLAG, "/x: its fill value is damaged"},
};

/* Messages in the file's table of shared messages. */
START_TEST(a_dataset_whose_messages_lie_in_the_files_table_is_refused)
{
    static const int32_t values[4] = {1, 2, 3, 4}, fill = 5;
    const hsize_t n = 4;
    hid_t file = create_file(messages[_i].shared), space = H5Screate_simple(1, &n, NULL);
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE), type = H5Tcopy(H5T_STD_I32LE);
    ck_assert_int_ge(H5Pset_chunk(plist, 1, &n), 0);
    ck_assert_int_ge(H5Pset_deflate(plist, 6), 0);
    ck_assert_int_ge(H5Pset_fill_value(plist, H5T_NATIVE_INT32, &fill), 0);
    add_dataset(file, "/first", type, space, plist, values); /* which keeps its messages */
    add_dataset(file, "/x", type, space, plist, values);
    (void)H5Tclose(type);
    (void)H5Pclose(plist);
    (void)H5Sclose(space);
    ck_assert_int_ge(H5Fclose(file), 0);
    assert_unreadable(messages[_i].reason);
}
END_TEST

START_TEST(attributes_that_lie_in_the_files_table_are_refused)
{
    /* A few are messages of the header, many lie in a heap. */
    const unsigned n = _i ? 20 : 1;
    hid_t file = create_file(H5O_SHMESG_ATTR_FLAG), space = H5Screate(H5S_SCALAR);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const int32_t value = 7;
    ck_assert_int_ge(H5Fclose(file), 0);
    ck_assert_int_ge(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), 0);
    file = H5Fopen(path, H5F_ACC_RDWR, access);
    hid_t group = H5Gcreate2(file, "/x", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (unsigned i = 0; i < n; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "a%u", i);
        add_attribute(group, name, H5T_STD_I32LE, space, &value);
    }
    (void)H5Gclose(group);
    (void)H5Pclose(access);
    (void)H5Sclose(space);
    ck_assert_int_ge(H5Fclose(file), 0);
    conf_h5 *opened = open_file();
    assay_error err = {0};
    bool found;
    double number;
    ck_assert_int_eq(conf_h5_attribute_number(opened, "/x", "a0", &found, &number, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "the attributes of /x are damaged");
    conf_h5_close(opened);
}
END_TEST

static void write_extent(H5S_class_t extent, hid_t type, const void *value)
{
    hid_t file = create_file(0), space = H5Screate(extent);
    add_dataset(file, "/x", type, space, H5P_DEFAULT, extent == H5S_NULL ? NULL : value);
    add_attribute(file, "a", type, space, extent == H5S_NULL ? NULL : value);
    (void)H5Sclose(space);
    ck_assert_int_ge(H5Fclose(file), 0);
}

START_TEST(a_dataset_without_shape_has_no_numbers)
{
    conf_array a;
    conf_h5_rows *stream;
    conf_signature signature;
    conf_h5_dataset dataset;
    conf_data data;
    assay_error err[4] = {0};
    bool found = false;
    double number;
    write_extent(H5S_NULL, H5T_IEEE_F32LE, NULL);
    conf_h5 *file = open_file();
    ck_assert_int_eq(conf_h5_read(file, "/x", &a, &err[0]), ASSAY_EFORMAT);
    ck_assert_int_eq(conf_h5_shape(file, "/x", &a, &err[1]), ASSAY_EFORMAT);
    ck_assert_int_eq(conf_h5_rows_open_types(file, "/x", CONF_H5_FLOATS, &stream, &err[2]), ASSAY_EFORMAT);
    ck_assert_int_eq(conf_h5_dataset_open(file, "/x", &dataset, NULL), ASSAY_OK);
    ck_assert_int_eq(conf_data_open(&dataset, 1, 100, &data, &err[3]), ASSAY_EFORMAT);
    for (size_t i = 0; i < 4; i++) assert_holds(err[i].text, "/x has no shape");
    ck_assert_int_eq(conf_h5_signature(file, "/x", &signature, NULL), ASSAY_OK);
    ck_assert_str_eq(signature.shape, "none");
    ck_assert_str_eq(signature.type, "F32");
    ck_assert_int_eq(conf_h5_attribute_number(file, "/", "a", &found, &number, &err[0]), ASSAY_EFORMAT);
    assert_holds(err[0].text, "the attribute a of / is not one number");
    ck_assert(found);
    conf_h5_close(file);
}
END_TEST

START_TEST(data_have_a_largest_number_of_axes)
{
    static const hsize_t shape[ASSAY_TENSOR_RANK_MAX + 1] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    for (unsigned rank = ASSAY_TENSOR_RANK_MAX; rank <= ASSAY_TENSOR_RANK_MAX + 1; rank++) {
        hid_t file = create_file(0), space = H5Screate_simple((int)rank, shape, NULL);
        const int32_t value = 7;
        conf_h5_dataset dataset;
        conf_data data;
        assay_error err = {0};
        const bool fits = rank == ASSAY_TENSOR_RANK_MAX;
        add_dataset(file, "/x", H5T_STD_I32LE, space, H5P_DEFAULT, &value);
        (void)H5Sclose(space);
        ck_assert_int_ge(H5Fclose(file), 0);
        conf_h5 *opened = open_file();
        ck_assert_int_eq(conf_h5_dataset_open(opened, "/x", &dataset, NULL), ASSAY_OK);
        ck_assert_int_eq(conf_data_open(&dataset, 1, 100, &data, &err), fits ? ASSAY_OK : ASSAY_EFORMAT);
        if (fits) conf_data_close(&data);
        else assert_holds(err.text, "/x has 9 axes; at most 8 are read");
        conf_h5_close(opened);
    }
}
END_TEST

START_TEST(data_have_a_largest_size)
{
    const hsize_t shape[2] = {5, 5};
    hid_t file = create_file(0), space = H5Screate_simple(2, shape, NULL);
    add_dataset(file, "/x", H5T_STD_I32LE, space, H5P_DEFAULT, NULL);
    (void)H5Sclose(space);
    ck_assert_int_ge(H5Fclose(file), 0);
    conf_h5 *opened = open_file();
    for (size_t most = 99; most <= 100; most++) {
        conf_h5_dataset dataset;
        conf_data data;
        assay_error err = {0};
        ck_assert_int_eq(conf_h5_dataset_open(opened, "/x", &dataset, NULL), ASSAY_OK);
        ck_assert_int_eq(conf_data_open(&dataset, 3, most, &data, &err),
                         most < 100 ? ASSAY_EFORMAT : ASSAY_OK);
        if (most < 100) {
            assert_holds(err.text, "/x is larger than 0 MiB");
            continue;
        }
        ck_assert(data.rank == 3 && data.n == 25);
        ck_assert(data.shape[0] == 1 && data.shape[1] == 5 && data.shape[2] == 5);
        conf_data_close(&data);
    }
    conf_h5_close(opened);
}
END_TEST

START_TEST(a_scalar_is_one_number)
{
    const int32_t value = 7;
    conf_array a;
    conf_signature signature;
    assay_error err = {0};
    bool found = false;
    double number = 0;
    write_extent(H5S_SCALAR, H5T_STD_I32LE, &value);
    conf_h5 *file = open_file();
    ck_assert_msg(conf_h5_read(file, "/x", &a, &err) == ASSAY_OK, "%s", err.text);
    ck_assert(a.rank == 0 && a.n == 1 && *(const int32_t *)a.data == 7);
    conf_array_free(&a);
    ck_assert_int_eq(conf_h5_signature(file, "/x", &signature, NULL), ASSAY_OK);
    ck_assert_str_eq(signature.shape, "[]");
    ck_assert_int_eq(conf_h5_attribute_number(file, "/", "a", &found, &number, &err), ASSAY_OK);
    ck_assert(found && number == 7);
    ck_assert_int_eq(conf_h5_attribute_number(file, "/x", "a", &found, &number, &err), ASSAY_OK);
    ck_assert(!found);
    conf_h5_close(file);
}
END_TEST

START_TEST(a_number_that_no_int64_holds_is_refused)
{
    for (uint64_t value = INT64_MAX; value <= (uint64_t)INT64_MAX + 1; value++) {
        assay_error err = {0};
        bool found;
        double number = 0;
        const bool fits = value == INT64_MAX;
        write_extent(H5S_SCALAR, H5T_STD_U64LE, &value);
        conf_h5 *file = open_file();
        ck_assert_int_eq(conf_h5_attribute_number(file, "/", "a", &found, &number, &err),
                         fits ? ASSAY_OK : ASSAY_EFORMAT);
        if (fits) ck_assert_double_eq(number, 0x1p63);
        else assert_holds(err.text, "the attribute a of / is not one number");
        conf_h5_close(file);
    }
}
END_TEST

static void expect_texts(H5S_class_t extent, const char *reason)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    conf_strings s;
    char *text = NULL;
    assay_error err[3] = {0};
    ck_assert_int_ge(H5Tset_size(type, 4), 0);
    write_extent(extent, type, "text");
    (void)H5Tclose(type);
    conf_h5 *file = open_file();
    ck_assert_int_eq(conf_h5_read_strings(file, "/x", &s, &err[0]), ASSAY_EFORMAT);
    ck_assert_int_eq(conf_h5_attribute_texts(file, "a", &s, &err[1]), ASSAY_EFORMAT);
    for (size_t i = 0; i < 2; i++) assert_holds(err[i].text, reason);
    const assay_status rc = conf_h5_attribute_text(file, "a", &text, &err[2]);
    ck_assert_int_eq(rc, extent == H5S_NULL ? ASSAY_EFORMAT : ASSAY_OK);
    if (text) ck_assert_str_eq(text, "text");
    else assert_holds(err[2].text, reason);
    free(text);
    conf_h5_close(file);
}

START_TEST(a_single_text_or_an_empty_dataset_is_no_list)
{
    expect_texts(H5S_NULL, " has no shape");
    expect_texts(H5S_SCALAR, " has 0 axes and 1 strings, expected a list of at most 256");
}
END_TEST

START_TEST(texts_take_memory_of_their_file)
{
    static const char texts[3][5] = {"one", "two", "three"};
    const hsize_t n = 3;
    hid_t file = create_file(0), space = H5Screate_simple(1, &n, NULL), type = H5Tcopy(H5T_C_S1);
    ck_assert_int_ge(H5Tset_size(type, 5), 0);
    add_dataset(file, "/x", type, space, H5P_DEFAULT, texts);
    (void)H5Tclose(type);
    (void)H5Sclose(space);
    ck_assert_int_ge(H5Fclose(file), 0);
    for (size_t most = 14; most <= 15; most++) {
        conf_h5 *opened = open_file();
        conf_strings s = {0};
        assay_error err = {0};
        conf_h5_limit(opened, most);
        ck_assert_int_eq(conf_h5_read_strings(opened, "/x", &s, &err), most < 15 ? ASSAY_EFORMAT : ASSAY_OK);
        if (most < 15) assert_holds(err.text, "/x unpacks to 15 bytes");
        else ck_assert_str_eq(s.at[2], "three");
        conf_strings_free(&s);
        conf_h5_close(opened);
    }
}
END_TEST

START_TEST(a_list_of_texts_has_a_largest_length)
{
    for (hsize_t n = CONF_H5_TEXTS_MAX; n <= CONF_H5_TEXTS_MAX + 1; n++) {
        hid_t file = create_file(0), space = H5Screate_simple(1, &n, NULL);
        static char texts[CONF_H5_TEXTS_MAX + 1];
        memset(texts, 'x', sizeof texts);
        add_dataset(file, "/x", H5T_C_S1, space, H5P_DEFAULT, texts);
        (void)H5Sclose(space);
        ck_assert_int_ge(H5Fclose(file), 0);
        conf_h5 *opened = open_file();
        conf_strings s = {0};
        assay_error err = {0};
        const bool fits = n == CONF_H5_TEXTS_MAX;
        ck_assert_int_eq(conf_h5_read_strings(opened, "/x", &s, &err), fits ? ASSAY_OK : ASSAY_EFORMAT);
        ck_assert_uint_eq(s.n, fits ? n : 0);
        if (!fits) assert_holds(err.text, "/x has 1 axes and 257 strings, expected a list of at most 256");
        conf_strings_free(&s);
        conf_h5_close(opened);
    }
}
END_TEST

START_TEST(a_printed_shape_is_cut_to_the_buffer)
{
    static const size_t shape[] = {12, SIZE_MAX, 34567};
    static const char whole[] = "[12,*,34567]";
    for (size_t size = 1; size <= sizeof whole; size++) {
        char *text = malloc(size), expected[sizeof whole];
        conf_shape_print(text, size, shape, 3);
        (void)snprintf(expected, sizeof expected, "%.*s", (int)size - 1, whole);
        ck_assert_str_eq(text, expected);
        free(text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/shared");
    TCase *shared = tcase_create("shared messages");
    tcase_add_checked_fixture(shared, setup, support_teardown);
    tcase_add_test(shared, a_dataset_of_a_named_type_is_refused);
    tcase_add_test(shared, an_attribute_of_a_named_type_is_refused);
    tcase_add_loop_test(shared, a_dataset_whose_messages_lie_in_the_files_table_is_refused, 0,
                        sizeof messages / sizeof *messages);
    tcase_add_loop_test(shared, attributes_that_lie_in_the_files_table_are_refused, 0, 2);
    suite_add_tcase(suite, shared);
    TCase *extents = tcase_create("extents");
    tcase_add_checked_fixture(extents, setup, support_teardown);
    tcase_add_test(extents, a_dataset_without_shape_has_no_numbers);
    tcase_add_test(extents, data_have_a_largest_number_of_axes);
    tcase_add_test(extents, data_have_a_largest_size);
    tcase_add_test(extents, a_scalar_is_one_number);
    tcase_add_test(extents, a_number_that_no_int64_holds_is_refused);
    tcase_add_test(extents, a_single_text_or_an_empty_dataset_is_no_list);
    tcase_add_test(extents, a_printed_shape_is_cut_to_the_buffer);
    tcase_add_test(extents, texts_take_memory_of_their_file);
    tcase_add_test(extents, a_list_of_texts_has_a_largest_length);
    suite_add_tcase(suite, extents);
    return support_run(suite);
}
