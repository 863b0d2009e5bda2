/* Filters of a chunk, undone: every order of them, every length, and checksums that do not hold.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <libdeflate.h>
#include <string.h>

#include "conformance/hdf5/chunk.h"
#include "conformance/tests/support.h"

enum { BYTES_MAX = 4096, STORED_MAX = 8192 };

/* Fletcher's sums as they are defined: of the words, and of the sums so far, modulo 65535, where only nothing
 * but zeros is 0. */
static uint32_t fletcher32(const unsigned char *at, size_t n)
{
    uint64_t sums[2] = {0, 0};
    for (size_t i = 0; i < n; i += 2) {
        sums[0] += (uint64_t)at[i] << 8 | (i + 1 < n ? at[i + 1] : 0);
        sums[1] += sums[0];
    }
    for (size_t k = 0; k < 2; k++)
        if (sums[k] > 0) sums[k] = sums[k] % 65535 ? sums[k] % 65535 : 65535;
    return (uint32_t)(sums[1] << 16 | sums[0]);
}

static void fill_bytes(unsigned char *at, size_t n, int kind)
{
    uint32_t x = 12345;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525U + 1013904223U;
        at[i] = (unsigned char)(kind == 0 ? 0xff : kind == 1 ? x >> 24 : i / 100);
    }
}

START_TEST(the_checksum_is_fletchers_for_every_length)
{
    static unsigned char data[BYTES_MAX];
    fill_bytes(data, sizeof data, _i);
    for (size_t n = 0; n <= 1500; n++) ck_assert_uint_eq(conf_fletcher32(data, n), fletcher32(data, n));
    ck_assert_uint_eq(conf_fletcher32(data, BYTES_MAX), fletcher32(data, BYTES_MAX));
}
END_TEST

static void put_checksum(unsigned char *at, uint32_t sum)
{
    for (size_t i = 0; i < 4; i++) at[i] = (unsigned char)(sum >> 8 * i);
}

/* Sends the bytes at `at` through one filter, and returns how many there are now. */
static size_t pack(unsigned char *at, size_t n, conf_filter filter, size_t element)
{
    unsigned char copy[STORED_MAX];
    memcpy(copy, at, n);
    if (filter == CONF_FILTER_FLETCHER32) {
        put_checksum(at + n, fletcher32(at, n));
        return n + 4;
    }
    if (filter == CONF_FILTER_DEFLATE) {
        struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
        n = libdeflate_zlib_compress(c, copy, n, at, STORED_MAX);
        libdeflate_free_compressor(c);
        return n;
    }
    const size_t n_elements = n / element;
    for (size_t i = 0; i < n_elements * element; i++) at[i % element * n_elements + i / element] = copy[i];
    return n;
}

/* The chunk of n bytes as the filters store it, or as `change` spoils that, is unpacked. */
static const void *unpack(conf_unpacker *u, const conf_pipeline *p, uint32_t skipped, size_t n,
                          size_t n_stored_more, assay_error *err)
{
    unsigned char stored[STORED_MAX];
    size_t n_stored = n;
    fill_bytes(stored, n, 2);
    for (size_t i = 0; i < p->n; i++)
        if (!(skipped >> i & 1U)) n_stored = pack(stored, n_stored, p->filter[i], p->element);
    unsigned char *packed = conf_unpacker_clear(u, n);
    memcpy(packed, stored, n_stored);
    return conf_unpack(u, p, skipped, n_stored + n_stored_more, n, err);
}

START_TEST(filters_of_any_order_are_undone)
{
    static const conf_filter orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const size_t lengths[] = {1, 3, 4, 7, 8, 29, 30, 400, 1023};
    static const size_t elements[] = {1, 2, 3, 4, 8};
    unsigned char expected[BYTES_MAX];
    fill_bytes(expected, sizeof expected, 2);
    conf_pipeline p = {0};
    memcpy(p.filter, orders[_i], sizeof p.filter);
    for (p.n = 0; p.n <= 3; p.n++)
        for (uint32_t skipped = 0; skipped < 1U << p.n; skipped++)
            for (size_t k = 0; k < 9 * 5; k++) {
                const size_t n = lengths[k / 5];
                assay_error err = {0};
                p.element = elements[k % 5];
                conf_unpacker *u = conf_unpacker_new(n);
                const void *found = unpack(u, &p, skipped, n, 0, &err);
                ck_assert_msg(found, "%s", err.text);
                ck_assert_mem_eq(found, expected, n);
                ck_assert_ptr_null(unpack(u, &p, skipped, n, 1, &err)); /* a byte too many */
                conf_unpacker_free(u);
            }
}
END_TEST

START_TEST(a_checksum_is_as_it_was_written)
{
    const conf_pipeline p = {.n = 1, .filter = {CONF_FILTER_FLETCHER32}};
    for (size_t n = 0; n < 9; n++) {
        conf_unpacker *u = conf_unpacker_new(n);
        unsigned char data[16];
        fill_bytes(data, n, 1);
        const uint32_t sum = fletcher32(data, n);
        const uint32_t swapped = (sum & 0x00ff00ffU) << 8 | (sum & 0xff00ff00U) >> 8;
        for (unsigned bit = 0; bit < 34; bit++) {
            assay_error err = {0};
            unsigned char *packed = conf_unpacker_clear(u, n);
            memcpy(packed, data, n);
            put_checksum(packed + n, bit < 32 ? sum ^ 1U << bit : bit == 32 ? sum : swapped);
            const bool holds = conf_unpack(u, &p, 0, n + 4, n, &err) != NULL;
            ck_assert_msg(holds == (bit >= 32), "%zu bytes, bit %u", n, bit);
            if (!holds) assert_holds(err.text, "its checksum is wrong");
        }
        conf_unpacker_free(u);
    }
}
END_TEST

static const struct {
    size_t n_filters;
    conf_filter filter[3];
    size_t n_packed, bytes;
    const char *reason;
} sizes[] = {
    {0, {0}, 3, 4, "found 3 bytes, expected 4"},
    {1, {CONF_FILTER_SHUFFLE}, 5, 4, "found 5 bytes, expected 4"},
    {1, {CONF_FILTER_FLETCHER32}, 4, 4, "found 4 bytes, expected 8"},
    {2, {CONF_FILTER_SHUFFLE, CONF_FILTER_FLETCHER32}, 9, 4, "found 9 bytes, expected 8"},
    {1, {CONF_FILTER_DEFLATE}, 0, 64, "found 0 bytes, expected 1 to 4161 of a deflated chunk of 64"},
    {1, {CONF_FILTER_DEFLATE}, 4162, 64, "found 4162 bytes, expected 1 to 4161 of a deflated chunk of 64"},
    {1, {CONF_FILTER_DEFLATE}, 4161, 64, "its deflated bytes are damaged"},
    {2, {CONF_FILTER_DEFLATE, CONF_FILTER_FLETCHER32}, 3, 64, "its checksum is wrong"},
};

START_TEST(a_chunk_of_another_size_is_refused)
{
    conf_pipeline p = {.n = sizes[_i].n_filters, .element = 4};
    memcpy(p.filter, sizes[_i].filter, sizeof p.filter);
    assay_error err = {0};
    conf_unpacker *u = conf_unpacker_new(64);
    (void)conf_unpacker_clear(u, 64);
    ck_assert_ptr_null(conf_unpack(u, &p, 0, sizes[_i].n_packed, sizes[_i].bytes, &err));
    assert_holds(err.text, sizes[_i].reason);
    ck_assert_int_eq(err.status, ASSAY_EFORMAT);
    conf_unpacker_free(u);
}
END_TEST

START_TEST(deflated_bytes_unpack_to_exactly_the_chunk)
{
    const conf_pipeline p = {.n = 1, .filter = {CONF_FILTER_DEFLATE}};
    static const struct {
        size_t n;
        const char *reason;
        size_t more; /* bytes after the deflated ones */
    } chunks[] = {{63, "unpack to 63, expected 64", 0},
                  {64, NULL, 0},
                  {65, "unpack to more than the 64 expected", 0},
                  {64, " bytes, expected the ", 1}};
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        unsigned char stored[STORED_MAX];
        assay_error err = {0};
        conf_unpacker *u = conf_unpacker_new(64);
        unsigned char *packed = conf_unpacker_clear(u, 64);
        fill_bytes(stored, chunks[i].n, 1);
        const size_t n = pack(stored, chunks[i].n, CONF_FILTER_DEFLATE, 0);
        memcpy(packed, stored, n);
        ck_assert_int_eq(conf_unpack(u, &p, 0, n + chunks[i].more, 64, &err) == NULL,
                         chunks[i].reason != NULL);
        if (chunks[i].reason) assert_holds(err.text, chunks[i].reason);
        ck_assert_int_eq(err.status, chunks[i].reason ? ASSAY_EFORMAT : ASSAY_OK);
        conf_unpacker_free(u);
    }
}
END_TEST

START_TEST(no_data_of_an_earlier_chunk_remains)
{
    conf_unpacker *u = conf_unpacker_new(1);
    unsigned char *packed = conf_unpacker_clear(u, 1);
    const size_t n = conf_packed_max(1);
    ck_assert_uint_eq(n, 1 + 4096);
    ck_assert_uint_eq(conf_packed_max(6400), 6400 + 100 + 4096);
    ck_assert_uint_eq(conf_unpacker_bytes(1), 2 * n);
    for (size_t i = 0; i < n; i++) ck_assert_uint_eq(packed[i], 0xff);
    memset(packed, 0, n);
    packed = conf_unpacker_clear(u, 1);
    for (size_t i = 0; i < n; i++) ck_assert_uint_eq(packed[i], 0xff);
    conf_unpacker_free(u);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/filters");
    TCase *filters = tcase_create("filters");
    tcase_set_timeout(filters, 60);
    tcase_add_loop_test(filters, the_checksum_is_fletchers_for_every_length, 0, 3);
    tcase_add_loop_test(filters, filters_of_any_order_are_undone, 0, 6);
    tcase_add_test(filters, a_checksum_is_as_it_was_written);
    tcase_add_loop_test(filters, a_chunk_of_another_size_is_refused, 0, sizeof sizes / sizeof *sizes);
    tcase_add_test(filters, deflated_bytes_unpack_to_exactly_the_chunk);
    tcase_add_test(filters, no_data_of_an_earlier_chunk_remains);
    suite_add_tcase(suite, filters);
    return support_run(suite);
}
