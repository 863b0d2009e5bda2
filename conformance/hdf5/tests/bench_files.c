/* Writes an observation of about so many MiB, for scripts/bench-diff.
 *
 *     bench_files PATH contiguous|odd|chunked|packed MIB
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 16 }; /* written at once */

typedef struct layout {
    const char *name;
    hsize_t n_samples, n_cols;
    hsize_t chunk[3]; /* 0: contiguous */
    int packed;
} layout;

static const layout layouts[] = {{"contiguous", 1, 131072, {0}, 0},
                                 {"odd", 8, 32768, {0}, 0},
                                 {"chunked", 1, 131072, {1, 64, 4096}, 0},
                                 {"packed", 1, 131072, {1, 64, 4096}, 1}};

static hid_t make_plist(const layout *l)
{
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    if (l->chunk[0]) (void)H5Pset_chunk(plist, 3, l->chunk);
    if (l->packed) {
        (void)H5Pset_shuffle(plist);
        (void)H5Pset_deflate(plist, 4);
    }
    return plist;
}

/* Numbers of the size of logits, with as many bits as a float has: they hardly shrink. */
static void fill(float *rows, size_t n, uint32_t *state)
{
    for (size_t i = 0; i < n; i++) {
        *state = *state * 1664525U + 1013904223U;
        rows[i] = (float)(int32_t)*state / 0x1p28F;
    }
}

static herr_t write_rows(hid_t dataset, const layout *l, hsize_t n_tokens)
{
    size_t n = (size_t)(ROWS * l->n_cols);
    float *rows = malloc(n * sizeof *rows);
    hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, (const hsize_t[]){n}, NULL);
    uint32_t state = 1;
    herr_t status = rows ? 0 : -1;
    for (hsize_t b = 0; b < l->n_samples && status >= 0; b++)
        for (hsize_t t = 0; t < n_tokens && status >= 0; t += ROWS) {
            const hsize_t start[3] = {b, t, 0}, count[3] = {1, ROWS, l->n_cols};
            fill(rows, n, &state);
            (void)H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
            status = H5Dwrite(dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, rows);
        }
    free(rows);
    (void)H5Sclose(memory);
    (void)H5Sclose(space);
    return status;
}

/* The cache holds a row of chunks, so that each is packed once. */
static int write_file(const char *path, const layout *l, hsize_t mib)
{
    const hsize_t n_tokens = (mib << 20) / sizeof(float) / l->n_cols / l->n_samples / ROWS * ROWS;
    const hsize_t shape[3] = {l->n_samples, n_tokens ? n_tokens : ROWS, l->n_cols};
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS), plist = make_plist(l);
    (void)H5Pset_chunk_cache(access, 1009, (size_t)64 << 20, 1);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "/observed", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(3, shape, NULL);
    hid_t dataset = H5Dcreate2(file, "/observed/prefill", H5T_IEEE_F32LE, space, H5P_DEFAULT, plist, access);
    herr_t status = dataset < 0 ? -1 : write_rows(dataset, l, shape[1]);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Gclose(group);
    (void)H5Pclose(plist);
    (void)H5Pclose(access);
    return H5Fclose(file) < 0 || status < 0;
}

int main(int argc, char **argv)
{
    unsigned long mib = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
    for (size_t i = 0; mib && i < sizeof layouts / sizeof *layouts; i++)
        if (strcmp(argv[2], layouts[i].name) == 0) return write_file(argv[1], &layouts[i], mib);
    (void)fputs("usage: bench_files PATH contiguous|odd|chunked|packed MIB\n", stderr);
    return 2;
}
