/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/chunk.h"

#include <assert.h>
#include <libdeflate.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define CHECKSUM_BYTES 4

struct conf_unpacker {
    unsigned char *packed, *other; /* [conf_packed_max] */
    struct libdeflate_decompressor *inflater;
};

size_t conf_packed_max(size_t bytes)
{
    return bytes + bytes / 64 + 4096;
}

size_t conf_unpacker_bytes(size_t bytes)
{
    return 2 * conf_packed_max(bytes);
}

conf_unpacker *conf_unpacker_new(size_t bytes)
{
    conf_unpacker *u = calloc(1, sizeof *u);
    if (!u) return NULL;
    *u = (conf_unpacker){.packed = malloc(conf_packed_max(bytes)),
                         .other = malloc(conf_packed_max(bytes)),
                         .inflater = libdeflate_alloc_decompressor()};
    if (u->packed && u->other && u->inflater) return u;
    conf_unpacker_free(u);
    return NULL;
}

void conf_unpacker_free(conf_unpacker *u)
{
    if (!u) return;
    free(u->packed);
    free(u->other);
    if (u->inflater) libdeflate_free_decompressor(u->inflater);
    free(u);
}

void *conf_unpacker_clear(conf_unpacker *u, size_t bytes)
{
    memset(u->packed, 0xff, conf_packed_max(bytes));
    memset(u->other, 0xff, conf_packed_max(bytes));
    return u->packed;
}

uint32_t conf_fletcher32(const void *data, size_t n)
{
    const unsigned char *at = data;
    uint32_t sum1 = 0, sum2 = 0;
    for (size_t n_words = n / 2; n_words > 0;) {
        size_t block = n_words < 360 ? n_words : 360; /* the most words that cannot overflow sum2 */
        n_words -= block;
        for (; block > 0; block--, at += 2) {
            sum1 += (uint32_t)at[0] << 8 | at[1];
            sum2 += sum1;
        }
        sum1 = (sum1 & 0xffff) + (sum1 >> 16);
        sum2 = (sum2 & 0xffff) + (sum2 >> 16);
    }
    if (n % 2) {
        sum1 += (uint32_t)*at << 8;
        sum2 += sum1;
        sum1 = (sum1 & 0xffff) + (sum1 >> 16);
        sum2 = (sum2 & 0xffff) + (sum2 >> 16);
    }
    sum1 = (sum1 & 0xffff) + (sum1 >> 16);
    sum2 = (sum2 & 0xffff) + (sum2 >> 16);
    return sum2 << 16 | sum1;
}

/* The checksum follows the data, in little-endian order; libhdf5 before 1.6.3 swapped the bytes of each
 * half, and later versions still accept that. */
static int checksum_holds(const unsigned char *data, size_t n)
{
    const unsigned char *at = data + n;
    uint32_t stored = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    uint32_t sum = conf_fletcher32(data, n);
    uint32_t swapped = (sum & 0x00ff00ffU) << 8 | (sum >> 8 & 0x00ff00ffU);
    return stored == sum || stored == swapped;
}

static void unshuffle4(unsigned char *into, const unsigned char *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned char word[4] = {from[i], from[n + i], from[2 * n + i], from[3 * n + i]};
        memcpy(into + 4 * i, word, sizeof word);
    }
}

/* Bytes of equal significance are stored together; a partial element at the end is not shuffled. */
static void unshuffle(unsigned char *into, const unsigned char *from, size_t n_bytes, size_t element)
{
    size_t n = n_bytes / element;
    if (element == 4) {
        unshuffle4(into, from, n);
    } else {
        for (size_t k = 0; k < element; k++)
            for (size_t i = 0; i < n; i++) into[i * element + k] = from[k * n + i];
    }
    memcpy(into + n * element, from + n * element, n_bytes - n * element);
}

static void swap_buffers(conf_unpacker *u)
{
    unsigned char *packed = u->packed;
    u->packed = u->other;
    u->other = packed;
}

/* Size of the chunk after filter `last` is undone: checksums of earlier filters are still included. */
static size_t bytes_before(const conf_pipeline *p, uint32_t skipped, size_t last, size_t bytes)
{
    for (size_t i = 0; i < last; i++)
        if (p->filter[i] == CONF_FILTER_FLETCHER32 && !(skipped >> i & 1U)) bytes += CHECKSUM_BYTES;
    return bytes;
}

/* Whether the chunk can have this stored size; without deflate only one size is possible. */
static bool check_size(const conf_pipeline *p, uint32_t skipped, size_t n_packed, size_t bytes,
                       assay_error *err)
{
    size_t expected = bytes_before(p, skipped, p->n, bytes);
    bool deflates = false;
    for (size_t i = 0; i < p->n; i++)
        if (p->filter[i] == CONF_FILTER_DEFLATE && !(skipped >> i & 1U)) deflates = true;
    if (deflates ? n_packed > 0 && n_packed <= conf_packed_max(bytes) : n_packed == expected) return true;
    if (deflates)
        (void)assay_fail(err, ASSAY_EFORMAT, "found %zu bytes, expected 1 to %zu of a deflated chunk of %zu",
                         n_packed, conf_packed_max(bytes), bytes);
    else (void)assay_fail(err, ASSAY_EFORMAT, "found %zu bytes, expected %zu", n_packed, expected);
    return false;
}

/* Requires that the deflated stream ends at the end of the chunk, since bytes after it would be ignored. */
static bool inflate_chunk(conf_unpacker *u, size_t n, size_t unpacked, assay_error *err)
{
    size_t read = 0, written = 0;
    enum libdeflate_result result =
        libdeflate_zlib_decompress_ex(u->inflater, u->packed, n, u->other, unpacked, &read, &written);
    if (result == LIBDEFLATE_SUCCESS && read == n && written == unpacked) return true;
    if (result == LIBDEFLATE_SUCCESS && written != unpacked)
        (void)assay_fail(err, ASSAY_EFORMAT, "its deflated bytes unpack to %zu, expected %zu", written,
                         unpacked);
    else if (result == LIBDEFLATE_SUCCESS)
        (void)assay_fail(err, ASSAY_EFORMAT, "found %zu bytes, expected the %zu that its deflated bytes take",
                         n, read);
    else if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
        (void)assay_fail(err, ASSAY_EFORMAT, "its deflated bytes unpack to more than the %zu expected",
                         unpacked);
    else (void)assay_fail(err, ASSAY_EFORMAT, "its deflated bytes are damaged");
    return false;
}

const void *conf_unpack(conf_unpacker *u, const conf_pipeline *pipeline, uint32_t skipped, size_t n_packed,
                        size_t bytes, assay_error *err)
{
    size_t n = n_packed;
    if (!check_size(pipeline, skipped, n_packed, bytes, err)) return NULL;
    for (size_t i = pipeline->n; i-- > 0;) {
        if (skipped >> i & 1U) continue;
        if (pipeline->filter[i] == CONF_FILTER_FLETCHER32) {
            if (n < CHECKSUM_BYTES || !checksum_holds(u->packed, n - CHECKSUM_BYTES)) {
                (void)assay_fail(err, ASSAY_EFORMAT, "its checksum is wrong");
                return NULL;
            }
            n -= CHECKSUM_BYTES;
        } else if (pipeline->filter[i] == CONF_FILTER_DEFLATE) {
            size_t unpacked = bytes_before(pipeline, skipped, i, bytes);
            if (!inflate_chunk(u, n, unpacked, err)) return NULL;
            n = unpacked;
            swap_buffers(u);
        } else if (pipeline->element > 1 && n / pipeline->element > 1) {
            unshuffle(u->other, u->packed, n, pipeline->element);
            swap_buffers(u);
        }
    }
    assert(n == bytes); /* checked by check_size and inflate */
    return u->packed;
}
