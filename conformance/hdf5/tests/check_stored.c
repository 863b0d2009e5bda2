/* Fill values, sizes and texts, as libhdf5 writes them, and as it would not.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/hdf5/rows.h"
#include "conformance/hdf5/text.h"
#include "conformance/tests/stored.h"
#include "conformance/tests/support.h"

START_TEST(unwritten_chunks_have_the_fill_value)
{
    const double fill = -1.5;
    for (int storage = 0; storage < 2; storage++)
        for (int filled = 0; filled < 2; filled++)
            for (int big = 0; big < 2; big++) {
                hid_t plist = stored_plist(storage);
                if (filled) ck_assert_int_ge(H5Pset_fill_value(plist, H5T_NATIVE_DOUBLE, &fill), 0);
                if (storage == 0) ck_assert_int_ge(H5Pset_alloc_time(plist, H5D_ALLOC_TIME_LATE), 0);
                stored_write(big ? H5T_IEEE_F64BE : H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 5, NULL, plist);
                (void)H5Pclose(plist);
                conf_h5 *file = stored_open();
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

static void assert_unreadable(const char *reason)
{
    conf_h5 *file = stored_open();
    conf_array a;
    assay_error err = {0};
    ck_assert_int_eq(conf_h5_read(file, "/x", &a, &err), ASSAY_EFORMAT);
    assert_holds(err.text, stored_path);
    assert_holds(err.text, reason);
    conf_h5_close(file);
}

/* A fill value whose message states this size in bytes. */
static void write_fill_of(const void *size)
{
    const double fill = 1234.5678;
    unsigned char stored[12] = {8};
    memcpy(stored + 4, &fill, sizeof fill);
    hid_t plist = stored_plist(0);
    ck_assert_int_ge(H5Pset_fill_value(plist, H5T_NATIVE_DOUBLE, &fill), 0);
    ck_assert_int_ge(H5Pset_alloc_time(plist, H5D_ALLOC_TIME_LATE), 0);
    stored_write(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 5, NULL, plist);
    (void)H5Pclose(plist);
    stored_patch(stored, sizeof stored, 0, size, 4);
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
    conf_h5 *file = stored_open();
    ck_assert_msg(conf_h5_read(file, "/x", &a, &err) == ASSAY_OK, "%s", err.text);
    for (size_t i = 0; i < 5; i++) ck_assert_double_eq(((const double *)a.data)[i], 0);
    conf_array_free(&a);
    conf_h5_close(file);
}
END_TEST

/* A layout message: version 3, class, then the members of the class. */
START_TEST(data_of_another_size_than_their_shape_are_refused)
{
    static const unsigned char contiguous[] = {40, 0, 0, 0, 0, 0, 0, 0}, compact[] = {3, 0, 40, 0};
    const double values[5] = {1, 2, 3, 4, 5};
    stored_write(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 5, values, H5P_DEFAULT);
    stored_patch(contiguous, sizeof contiguous, 0, "\50\1", 2);
    assert_unreadable("/x is stored in 296 bytes, expected 40");
    hid_t plist = stored_plist(2);
    stored_write(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 5, values, plist);
    (void)H5Pclose(plist);
    stored_patch(compact, sizeof compact, 2, "\47", 1);
    assert_unreadable("/x is stored in 39 bytes, expected 40");
    stored_patch("\3\0\47\0", 4, 2, "\377\377", 2);
    assert_unreadable("/x: its layout is damaged");
}
END_TEST

enum { N_TEXTS = 3 };
static const char *const texts[N_TEXTS] = {"stop", "", "length of it all"};

/* A list of strings, as dataset /x and as attribute of the root. */
static void write_texts(bool variable, bool padded_with_spaces, int storage)
{
    hid_t type = H5Tcopy(H5T_C_S1), plist = stored_plist(storage);
    const hsize_t n = N_TEXTS;
    char fixed[N_TEXTS][20];
    ck_assert_int_ge(H5Tset_size(type, variable ? H5T_VARIABLE : sizeof fixed[0]), 0);
    if (padded_with_spaces) ck_assert_int_ge(H5Tset_strpad(type, H5T_STR_SPACEPAD), 0);
    memset(fixed, padded_with_spaces ? ' ' : 0, sizeof fixed);
    for (size_t i = 0; i < N_TEXTS; i++) memcpy(fixed[i], texts[i], strlen(texts[i]));
    const void *values = variable ? (const void *)texts : (const void *)fixed;
    stored_write(type, type, n, values, plist);
    hid_t file = H5Fopen(stored_path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(1, &n, NULL);
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
        conf_h5 *file = stored_open();
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

/* The global heap: an object's index, references and size, and its text. With these, libhdf5 1.10 loops
 * forever, or reads and writes beyond its buffers. */
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
    stored_patch(object, sizeof object, heap_damages[_i].at, heap_damages[_i].bytes, heap_damages[_i].n);
    conf_h5 *file = stored_open();
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
    stored_patch("length of it all", 16, 0, "length\0f it all", 16);
    conf_h5 *file = stored_open();
    conf_strings s;
    assay_error err = {0};
    ck_assert_msg(conf_h5_read_strings(file, "/x", &s, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_str_eq(s.at[2], "length");
    conf_strings_free(&s);
    conf_h5_close(file);
}
END_TEST

START_TEST(elements_have_a_largest_size)
{
    for (size_t more = 0; more < 2; more++) {
        hid_t type = H5Tcopy(H5T_C_S1), plist = stored_plist(0);
        ck_assert_int_ge(H5Tset_size(type, CONF_H5_STRING_BYTES_MAX + more), 0);
        stored_write(type, type, 1, NULL, plist);
        (void)H5Pclose(plist);
        (void)H5Tclose(type);
        conf_h5 *file = stored_open();
        conf_strings s;
        assay_error err = {0};
        ck_assert_int_eq(conf_h5_read_strings(file, "/x", &s, &err), more ? ASSAY_EFORMAT : ASSAY_OK);
        if (more) assert_holds(err.text, "/x has elements of 1048577 bytes; at most 1048576 are read");
        else conf_strings_free(&s);
        conf_h5_close(file);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/stored");
    TCase *fill = tcase_create("fill values and sizes");
    tcase_set_timeout(fill, 60);
    tcase_add_checked_fixture(fill, stored_setup, support_teardown);
    tcase_add_test(fill, unwritten_chunks_have_the_fill_value);
    tcase_add_test(fill, a_fill_value_of_another_size_is_refused);
    tcase_add_test(fill, a_fill_value_that_is_not_defined_is_zero);
    tcase_add_test(fill, data_of_another_size_than_their_shape_are_refused);
    suite_add_tcase(suite, fill);
    TCase *text = tcase_create("texts");
    tcase_set_timeout(text, 60);
    tcase_add_checked_fixture(text, stored_setup, support_teardown);
    tcase_add_loop_test(text, texts_of_every_storage_are_read, 0, 3);
    tcase_add_loop_test(text, a_damaged_global_heap_is_refused, 0, 6);
    tcase_add_test(text, a_text_ends_at_its_first_nul);
    tcase_add_test(text, elements_have_a_largest_size);
    suite_add_tcase(suite, text);
    return support_run(suite);
}
