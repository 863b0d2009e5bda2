/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/stored.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "conformance/tests/support.h"

const char *stored_path;

void stored_setup(void)
{
    support_setup();
    stored_path = support_path("stored.h5");
    hid_t file = H5Fcreate(stored_path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Fclose(file), 0);
}

conf_h5 *stored_open(void)
{
    conf_h5 *file;
    assay_error err = {0};
    ck_assert_msg(conf_h5_open(stored_path, &file, &err) == ASSAY_OK, "%s", err.text);
    return file;
}

void stored_write(hid_t type, hid_t native, hsize_t n, const void *values, hid_t plist)
{
    hid_t file = H5Fopen(stored_path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(1, &n, NULL);
    if (H5Lexists(file, "/x", H5P_DEFAULT) > 0) ck_assert_int_ge(H5Ldelete(file, "/x", H5P_DEFAULT), 0);
    hid_t dataset = H5Dcreate2(file, "/x", type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(dataset, 0);
    if (values) ck_assert_int_ge(H5Dwrite(dataset, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    ck_assert_int_ge(H5Fclose(file), 0);
}

hid_t stored_plist(int storage)
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

void stored_patch(const void *from, size_t n, off_t skip, const void *to, size_t n_to)
{
    static unsigned char whole[1 << 20];
    int fd = open(stored_path, O_RDWR);
    ssize_t size = pread(fd, whole, sizeof whole, 0);
    off_t at = -1;
    for (ssize_t i = 0; i + (ssize_t)n <= size && at < 0; i++)
        if (memcmp(whole + i, from, n) == 0) at = i;
    ck_assert_int_ge(at, 0);
    ck_assert_int_eq(pwrite(fd, to, n_to, at + skip), (ssize_t)n_to);
    (void)close(fd);
}
