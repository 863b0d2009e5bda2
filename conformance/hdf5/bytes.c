/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "conformance/hdf5/file.h"

#define CHECKSUM_BYTES 4
#define READ_COST      256 /* added to the bytes of each read, so that the limit bounds many small reads, too */

conf_bytes conf_bytes_of(const void *data, size_t n)
{
    return (conf_bytes){.at = data, .n = n};
}

const unsigned char *conf_bytes_next(conf_bytes *b, size_t n)
{
    if (b->bad || n > b->n) {
        b->bad = true;
        return NULL;
    }
    const unsigned char *at = b->at;
    b->at += n;
    b->n -= n;
    return at;
}

uint64_t conf_bytes_number(conf_bytes *b, size_t n)
{
    const unsigned char *at = conf_bytes_next(b, n);
    uint64_t value = 0;
    for (size_t i = n; at && i-- > 0;) value = value << 8 | at[i];
    return value;
}

void conf_bytes_expect(conf_bytes *b, const char *signature, unsigned version)
{
    const unsigned char *at = conf_bytes_next(b, 5);
    if (!at || memcmp(at, signature, 4) != 0 || at[4] != version) b->bad = true;
}

size_t conf_log2(uint64_t value)
{
    size_t n = 0;
    while (value >>= 1) n++;
    return n;
}

bool conf_is_power_of_two(uint64_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

size_t conf_bytes_of_limit(uint64_t limit)
{
    return conf_log2(limit) / 8 + 1;
}

assay_status conf_h5_fail_damaged(const conf_h5 *file, const char *name, const char *what, assay_error *err)
{
    return assay_fail(err, ASSAY_EFORMAT, "%s: %s: %s is damaged", file->path, name, what);
}

bool conf_h5_is_inside_file(const conf_h5 *file, uint64_t address, uint64_t n)
{
    uint64_t size = file->size - file->base;
    return address <= size && n <= size - address;
}

bool conf_h5_bytes_read(const conf_h5 *file, void *into, size_t n, uint64_t offset)
{
    char *at = into;
    while (n > 0) {
        ssize_t got = pread(file->fd, at, n, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        offset += (uint64_t)got;
        n -= (size_t)got;
    }
    return true;
}

assay_status conf_h5_block_read(const conf_h5 *file, const char *name, uint64_t address, uint64_t n,
                                conf_h5_block *out, assay_error *err)
{
    if (!conf_h5_is_inside_file(file, address, n))
        return assay_fail(
            err, ASSAY_EFORMAT,
            "%s: %s: %llu bytes at address %llu reach beyond the file's end at %zu: cut short or "
            "damaged",
            file->path, name, (unsigned long long)n, (unsigned long long)address, file->size);
    size_t *left = &file->state->left.structure;
    if (n + READ_COST > *left) /* cannot overflow: n is at most the size of a file */
        return assay_fail(
            err, ASSAY_EFORMAT,
            "%s: %s: its structure takes more than %zu MiB and 8 times the file's size to read: "
            "damaged",
            file->path, name, CONF_H5_STRUCTURE_BYTES_MAX >> 20);
    *left -= (size_t)n + READ_COST;
    conf_h5_block block = {.data = malloc(n ? (size_t)n : 1), .n = (size_t)n};
    if (!block.data)
        return assay_fail(err, ASSAY_ENOMEM, "%s: %s: out of memory for %zu bytes", file->path, name,
                          block.n);
    if (!conf_h5_bytes_read(file, block.data, block.n, file->base + address)) {
        free(block.data);
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: its structure cannot be read: cut short", file->path,
                          name);
    }
    *out = block;
    return ASSAY_OK;
}

/* Fuzzing builds skip the comparison, since fuzzers rarely produce a valid checksum. */
bool conf_checksum_holds(uint32_t stored, const void *data, size_t n)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)stored, (void)data, (void)n;
    return true;
#else
    return stored == conf_lookup3(data, n);
#endif
}

assay_status conf_h5_block_read_checked(const conf_h5 *file, const char *name, uint64_t address, uint64_t n,
                                        conf_h5_block *out, assay_error *err)
{
    conf_h5_block block = {0};
    if (n < CHECKSUM_BYTES) return conf_h5_fail_damaged(file, name, "its structure", err);
    assay_status rc = conf_h5_block_read(file, name, address, n, &block, err);
    if (rc != ASSAY_OK) return rc;
    conf_bytes stored = conf_bytes_of(block.data + block.n - CHECKSUM_BYTES, CHECKSUM_BYTES);
    if (!conf_checksum_holds((uint32_t)conf_bytes_number(&stored, CHECKSUM_BYTES), block.data,
                             block.n - CHECKSUM_BYTES)) {
        free(block.data);
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: %s: the checksum of its structure at address %llu is wrong", file->path, name,
                          (unsigned long long)address);
    }
    *out = block;
    return ASSAY_OK;
}

static uint32_t rotate_left(uint32_t x, unsigned k)
{
    return x << k | x >> (32 - k);
}

static void mix_state(uint32_t s[3])
{
    static const unsigned char by[6] = {4, 6, 8, 16, 19, 4};
    for (size_t i = 0; i < 6; i++) {
        uint32_t *a = &s[i % 3], *b = &s[(i + 1) % 3], *c = &s[(i + 2) % 3];
        *a -= *c;
        *a ^= rotate_left(*c, by[i]);
        *c += *b;
    }
}

static void finish_state(uint32_t s[3])
{
    static const unsigned char by[7] = {14, 11, 25, 16, 4, 14, 24};
    for (size_t i = 0; i < 7; i++) {
        uint32_t *x = &s[(i + 2) % 3], *y = &s[(i + 1) % 3];
        *x ^= *y;
        *x -= rotate_left(*y, by[i]);
    }
}

uint32_t conf_lookup3(const void *data, size_t n)
{
    const unsigned char *at = data;
    uint32_t s[3];
    s[0] = s[1] = s[2] = 0xdeadbeef + (uint32_t)n;
    for (; n > 12; n -= 12, at += 12) {
        for (size_t i = 0; i < 12; i++) s[i / 4] += (uint32_t)at[i] << i % 4 * 8;
        mix_state(s);
    }
    if (n == 0) return s[2];
    for (size_t i = 0; i < n; i++) s[i / 4] += (uint32_t)at[i] << i % 4 * 8;
    finish_state(s);
    return s[2];
}
