/* For the tests of packed observations:
 *
 *     unpack PACK              prints the groups VARIANT/CASE.SYSTEM of a pack, sorted
 *     unpack PACK GROUP OUT    copies one into a file of its own
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <hdf5.h>
#include <stdio.h>

static herr_t print_group(hid_t at, const char *name, const H5L_info_t *info, void *variant)
{
    (void)at;
    (void)info;
    return printf("%s/%s\n", (const char *)variant, name) < 0 ? -1 : 0;
}

static herr_t print_variant(hid_t at, const char *name, const H5L_info_t *info, void *context)
{
    (void)info;
    (void)context;
    char variant[256];
    (void)snprintf(variant, sizeof variant, "%s", name);
    return H5Literate_by_name(at, name, H5_INDEX_NAME, H5_ITER_INC, NULL, print_group, variant, H5P_DEFAULT);
}

static int copy_group(hid_t pack, const char *name, const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    (void)H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    hid_t out = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    char observed[512];
    (void)snprintf(observed, sizeof observed, "%s/observed", name);
    const herr_t done = out < 0 ? -1 : H5Ocopy(pack, observed, out, "observed", H5P_DEFAULT, H5P_DEFAULT);
    (void)H5Pclose(access);
    return out < 0 || H5Fclose(out) < 0 || done < 0;
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 4) return 2;
    hid_t pack = H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT);
    if (pack < 0) return 1;
    const int failed = argc == 4
                           ? copy_group(pack, argv[2], argv[3])
                           : H5Literate(pack, H5_INDEX_NAME, H5_ITER_INC, NULL, print_variant, NULL) < 0;
    return H5Fclose(pack) < 0 || failed;
}
