/* Edits of recorded cases.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/support.h"

static hid_t open_file(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    ck_assert_msg(file >= 0, "%s cannot be edited", path);
    return file;
}

void edit_file(const char *path, void (*edit)(hid_t file))
{
    hid_t file = open_file(path);
    edit(file);
    ck_assert_int_ge(H5Fclose(file), 0);
}

void edit_remove(const char *path, const char *name)
{
    hid_t file = open_file(path);
    ck_assert_int_ge(H5Ldelete(file, name, H5P_DEFAULT), 0);
    ck_assert_int_ge(H5Fclose(file), 0);
}

static bool exists(hid_t file, const char *name)
{
    char part[128];
    for (size_t end = 1; end <= strlen(name); end++) {
        if (name[end] && name[end] != '/') continue;
        (void)snprintf(part, sizeof part, "%.*s", (int)end, name);
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0) return false;
    }
    return true;
}

static void write_dataset(const char *path, const char *name, hid_t type, size_t rank, const size_t *shape,
                          const void *data)
{
    hid_t file = open_file(path);
    if (exists(file, name)) ck_assert_int_ge(H5Ldelete(file, name, H5P_DEFAULT), 0);
    hsize_t dims[8] = {0};
    size_t n = 1;
    for (size_t i = 0; i < rank; i++) dims[i] = shape[i], n *= shape[i];
    hid_t space = rank ? H5Screate_simple((int)rank, dims, NULL) : H5Screate(H5S_SCALAR);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    ck_assert_int_ge(H5Pset_create_intermediate_group(links, 1), 0);
    hid_t dataset = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_msg(dataset >= 0, "%s cannot be made", name);
    if (n) ck_assert_int_ge(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0);
    (void)H5Dclose(dataset);
    (void)H5Pclose(links);
    (void)H5Sclose(space);
    ck_assert_int_ge(H5Fclose(file), 0);
}

void edit_i32(const char *path, const char *name, size_t rank, const size_t *shape, const int32_t *data)
{
    write_dataset(path, name, H5T_NATIVE_INT32, rank, shape, data);
}

void edit_f32(const char *path, const char *name, size_t rank, const size_t *shape, const float *data)
{
    write_dataset(path, name, H5T_NATIVE_FLOAT, rank, shape, data);
}

void edit_f64(const char *path, const char *name, size_t rank, const size_t *shape, const double *data)
{
    write_dataset(path, name, H5T_NATIVE_DOUBLE, rank, shape, data);
}

void edit_element(const char *path, const char *name, size_t index, double value)
{
    hid_t file = open_file(path), dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
    size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    double *all = calloc(n, sizeof *all);
    ck_assert(all && index < n);
    ck_assert_int_ge(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all), 0);
    all[index] = value;
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all), 0);
    free(all);
    (void)H5Sclose(space);
    (void)H5Dclose(dataset);
    ck_assert_int_ge(H5Fclose(file), 0);
}

void edit_retype(const char *path, const char *name, hid_t type)
{
    hid_t file = open_file(path), dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
    size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    double *all = calloc(n, sizeof *all);
    ck_assert_ptr_nonnull(all);
    ck_assert_int_ge(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all), 0);
    (void)H5Dclose(dataset);
    ck_assert_int_ge(H5Ldelete(file, name, H5P_DEFAULT), 0);
    dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all), 0);
    free(all);
    (void)H5Sclose(space);
    (void)H5Dclose(dataset);
    ck_assert_int_ge(H5Fclose(file), 0);
}

hid_t edit_narrow_type(bool brain, bool big)
{
    const size_t exponent = brain ? 8 : 5, mantissa = brain ? 7 : 10;
    const hid_t type = H5Tcopy(big ? H5T_IEEE_F32BE : H5T_IEEE_F32LE);
    ck_assert_int_ge(H5Tset_fields(type, 15, mantissa, exponent, 0, mantissa), 0);
    ck_assert_int_ge(H5Tset_precision(type, 16), 0);
    ck_assert_int_ge(H5Tset_size(type, 2), 0);
    ck_assert_int_ge(H5Tset_ebias(type, brain ? 127 : 15), 0);
    return type;
}

void edit_texts(const char *path, const char *name, size_t n, const char *const *texts)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    (void)H5Tset_size(type, H5T_VARIABLE);
    write_dataset(path, name, type, 1, &n, texts);
    (void)H5Tclose(type);
}

static void write_attribute(const char *path, const char *object, const char *name, hid_t type,
                            const void *data)
{
    hid_t file = open_file(path);
    if (H5Aexists_by_name(file, object, name, H5P_DEFAULT) > 0)
        ck_assert_int_ge(H5Adelete_by_name(file, object, name, H5P_DEFAULT), 0);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t id = H5Acreate_by_name(file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(id, 0);
    ck_assert_int_ge(H5Awrite(id, type, data), 0);
    (void)H5Aclose(id);
    (void)H5Sclose(space);
    ck_assert_int_ge(H5Fclose(file), 0);
}

void edit_attribute(const char *path, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    (void)H5Tset_size(type, strlen(text) + 1);
    (void)H5Tset_strpad(type, H5T_STR_NULLPAD);
    write_attribute(path, "/", name, type, text);
    (void)H5Tclose(type);
}

void edit_attribute_number(const char *path, const char *object, const char *name, double value)
{
    write_attribute(path, object, name, H5T_NATIVE_DOUBLE, &value);
}

void edit_remove_attribute(const char *path, const char *name)
{
    hid_t file = open_file(path);
    ck_assert_int_ge(H5Adelete(file, name), 0);
    ck_assert_int_ge(H5Fclose(file), 0);
}
