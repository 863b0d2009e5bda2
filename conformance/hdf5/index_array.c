/* Chunk indices that are arrays: fixed arrays for datasets that cannot grow, and extensible arrays for
 * datasets that grow on one axis. Both divide large blocks of elements into pages, each with a checksum, and
 * keep a bit for each page that has been written.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/index_array.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/hdf5/file.h"

enum {
    PREFIX = 14,
    CHECKSUM = 4,
    UNFILTERED = 0,
    FILTERED = 1,
    ELEMENT_MIN = 8,
    ELEMENT_MAX = 20,
    BITS_MAX = 40
};

/* What fixed and extensible arrays have in common. */
typedef struct array {
    conf_h5_index_reader *r;
    uint64_t address;    /* of its header */
    size_t element;      /* bytes */
    size_t page_bits;    /* a page holds 2^page_bits elements */
    size_t offset_bytes; /* of an extensible array: size of the offset that its blocks store */
    assay_error *err;
} array;

static assay_status read_checked(const array *a, uint64_t address, uint64_t n, conf_h5_block *out)
{
    return conf_h5_block_read_checked(a->r->d->file, a->r->d->name, address, n, out, a->err);
}

/* Reads a block of the array that begins with this signature; *b: the bytes after its prefix. */
static assay_status read_block(const array *a, uint64_t address, uint64_t n, const char *signature,
                               conf_h5_block *out, conf_bytes *b)
{
    conf_h5_block block;
    assay_status rc = read_checked(a, address, n, &block);
    if (rc != ASSAY_OK) return rc;
    *b = conf_bytes_of(block.data, block.n - CHECKSUM);
    conf_bytes_expect(b, signature, 0);
    (void)conf_bytes_number(b, 1); /* whether chunks have filters, as in the header */
    bool valid = conf_bytes_number(b, 8) == a->address && !b->bad;
    (void)conf_bytes_number(b, a->offset_bytes);
    if (valid && !b->bad) {
        *out = block;
        return ASSAY_OK;
    }
    free(block.data);
    return conf_h5_index_fail(a->r, a->err);
}

/* Adds elements [first, first + n) of the array, which are consecutive in b. */
static assay_status add_elements(const array *a, conf_bytes *b, uint64_t first, uint64_t n)
{
    assay_status rc = ASSAY_OK;
    for (uint64_t i = 0; i < n && rc == ASSAY_OK; i++) {
        const unsigned char *element = conf_bytes_next(b, a->element);
        rc = element ? conf_h5_index_add_element(a->r, first + i, conf_bytes_of(element, a->element), a->err)
                     : conf_h5_index_fail(a->r, a->err);
    }
    return rc;
}

static bool bit_is_set(const unsigned char *bits, uint64_t i)
{
    return ((unsigned)bits[i / 8] >> (7 - i % 8) & 1U) != 0;
}

static uint64_t page_bytes(const array *a)
{
    return ((uint64_t)a->element << a->page_bits) + CHECKSUM;
}

/* Reads the pages of the n elements from `first` on, which are consecutive from `address` on. bits[from + i]
 * is set if page i has been written. */
static assay_status read_pages(const array *a, uint64_t address, uint64_t first, uint64_t n,
                               const unsigned char *bits, uint64_t from)
{
    uint64_t per_page = (uint64_t)1 << a->page_bits;
    assay_status rc = ASSAY_OK;
    for (uint64_t done = 0; done < n && rc == ASSAY_OK; done += per_page) {
        uint64_t page = done / per_page, count = n - done < per_page ? n - done : per_page;
        conf_h5_block block;
        if (!bit_is_set(bits, from + page)) continue;
        rc = read_checked(a, address + page * page_bytes(a), count * a->element + CHECKSUM, &block);
        if (rc != ASSAY_OK) return rc;
        conf_bytes b = conf_bytes_of(block.data, block.n - CHECKSUM);
        rc = add_elements(a, &b, first + done, count);
        free(block.data);
    }
    return rc;
}

/* The header that both kinds begin with; *b: the bytes after the size of an element. */
static assay_status open_array(array *a, const char *signature, size_t n, conf_h5_block *header,
                               conf_bytes *b)
{
    bool filtered = a->r->d->pipeline.n > 0;
    assay_status rc = read_checked(a, a->address, n, header);
    if (rc != ASSAY_OK) return rc;
    *b = conf_bytes_of(header->data, header->n - CHECKSUM);
    conf_bytes_expect(b, signature, 0);
    unsigned kind = (unsigned)conf_bytes_number(b, 1);
    a->element = (size_t)conf_bytes_number(b, 1);
    if (!b->bad && kind == (filtered ? FILTERED : UNFILTERED) && a->element <= ELEMENT_MAX &&
        a->element >= ELEMENT_MIN + (filtered ? 5U : 0U))
        return ASSAY_OK;
    free(header->data);
    return conf_h5_index_fail(a->r, a->err);
}

assay_status conf_h5_fixed_read(conf_h5_index_reader *r, assay_error *err)
{
    enum { HEADER = 28 };
    array a = {.r = r, .address = r->d->layout.address, .err = err};
    conf_h5_block block;
    conf_bytes b;
    assay_status rc = open_array(&a, "FAHD", HEADER, &block, &b);
    if (rc != ASSAY_OK) return rc;
    a.page_bits = (size_t)conf_bytes_number(&b, 1);
    uint64_t n = conf_bytes_number(&b, 8), address = conf_bytes_number(&b, 8);
    free(block.data);
    if (address == CONF_H5_UNDEFINED) return ASSAY_OK;
    if (b.bad || a.page_bits > BITS_MAX || n > r->d->file->size) return conf_h5_index_fail(r, err);
    bool paged = n > (uint64_t)1 << a.page_bits;
    uint64_t n_pages = (n + ((uint64_t)1 << a.page_bits) - 1) >> a.page_bits,
             bits = paged ? (n_pages + 7) / 8 : 0;
    uint64_t bytes = PREFIX + CHECKSUM + (paged ? bits : n * a.element);
    rc = read_block(&a, address, bytes, "FADB", &block, &b);
    if (rc != ASSAY_OK) return rc;
    if (paged) rc = read_pages(&a, address + bytes, 0, n, b.at, 0);
    else rc = add_elements(&a, &b, 0, n);
    free(block.data);
    return rc;
}

/* An extensible array: super block u has 2^(u/2) data blocks, of 2^((u+1)/2) times the least number of
 * elements. The index block holds the first elements, the addresses of the data blocks of the first super
 * blocks, and those of all further super blocks. */
typedef struct extensible {
    array a;
    size_t
        n_super; /* all super blocks; n_direct: the first of them, whose data blocks the index block lists */
    size_t n_direct;
    size_t n_first;    /* elements in the index block */
    size_t least_bits; /* log2 of a data block's least number of elements */
} extensible;

static uint64_t blocks_of(size_t super)
{
    return (uint64_t)1 << super / 2;
}

static uint64_t elements_of(const extensible *e, size_t super)
{
    return (uint64_t)1 << ((super + 1) / 2 + e->least_bits);
}

/* Reads a data block. bits: of its super block; NULL if the block is too small for pages. */
static assay_status read_data_block(const extensible *e, uint64_t address, uint64_t first, uint64_t n,
                                    const unsigned char *bits, uint64_t from)
{
    conf_h5_block block;
    conf_bytes b;
    if (address == CONF_H5_UNDEFINED) return ASSAY_OK;
    uint64_t bytes = PREFIX + e->a.offset_bytes + CHECKSUM + (bits ? 0 : n * e->a.element);
    assay_status rc = read_block(&e->a, address, bytes, "EADB", &block, &b);
    if (rc != ASSAY_OK) return rc;
    if (bits) rc = read_pages(&e->a, address + bytes, first, n, bits, from);
    else rc = add_elements(&e->a, &b, first, n);
    free(block.data);
    return rc;
}

/* Reads super block `super`, with first element `first`. */
static assay_status read_super_block(const extensible *e, uint64_t address, size_t super, uint64_t first)
{
    if (address == CONF_H5_UNDEFINED) return ASSAY_OK;
    uint64_t n_blocks = blocks_of(super), n = elements_of(e, super), n_pages = n >> e->a.page_bits;
    bool paged = n > (uint64_t)1 << e->a.page_bits;
    uint64_t bits = paged ? n_blocks * ((n_pages + 7) / 8) : 0;
    conf_h5_block block;
    conf_bytes b;
    if (n_blocks > e->a.r->d->file->size || bits > e->a.r->d->file->size)
        return conf_h5_index_fail(e->a.r, e->a.err);
    assay_status rc = read_block(&e->a, address, PREFIX + e->a.offset_bytes + bits + n_blocks * 8 + CHECKSUM,
                                 "EASB", &block, &b);
    if (rc != ASSAY_OK) return rc;
    const unsigned char *written = conf_bytes_next(&b, (size_t)bits);
    for (uint64_t i = 0; i < n_blocks && rc == ASSAY_OK; i++)
        rc = read_data_block(e, conf_bytes_number(&b, 8), first + i * n, n, paged ? written : NULL,
                             i * n_pages);
    free(block.data);
    return rc;
}

/* b: the index block after its prefix. */
static assay_status read_index_block(const extensible *e, conf_bytes *b)
{
    assay_status rc = add_elements(&e->a, b, 0, e->n_first);
    uint64_t first = e->n_first;
    for (size_t super = 0; super < e->n_super && rc == ASSAY_OK; super++) {
        uint64_t n_blocks = blocks_of(super), n = elements_of(e, super);
        if (super >= e->n_direct) rc = read_super_block(e, conf_bytes_number(b, 8), super, first);
        for (uint64_t i = 0; i < n_blocks && super < e->n_direct && rc == ASSAY_OK; i++)
            rc = read_data_block(e, conf_bytes_number(b, 8), first + i * n, n, NULL, 0);
        first += n_blocks * n;
    }
    return rc;
}

assay_status conf_h5_extensible_read(conf_h5_index_reader *r, assay_error *err)
{
    enum { HEADER = 72, STATISTICS = 48 };
    extensible e = {.a = {.r = r, .address = r->d->layout.address, .err = err}};
    conf_h5_block block;
    conf_bytes b;
    assay_status rc = open_array(&e.a, "EAHD", HEADER, &block, &b);
    if (rc != ASSAY_OK) return rc;
    size_t max_bits = (size_t)conf_bytes_number(&b, 1);
    e.n_first = (size_t)conf_bytes_number(&b, 1);
    uint64_t least = conf_bytes_number(&b, 1), pointers = conf_bytes_number(&b, 1);
    e.a.page_bits = (size_t)conf_bytes_number(&b, 1);
    (void)conf_bytes_next(&b, STATISTICS);
    uint64_t address = conf_bytes_number(&b, 8);
    free(block.data);
    e.least_bits = conf_log2(least);
    if (b.bad || max_bits > BITS_MAX || pointers < 2 || e.a.page_bits > BITS_MAX || max_bits < e.least_bits ||
        !conf_is_power_of_two(least) || !conf_is_power_of_two(pointers))
        return conf_h5_index_fail(r, err);
    if (address == CONF_H5_UNDEFINED) return ASSAY_OK;
    e.n_super = 1 + max_bits - e.least_bits;
    e.n_direct = 2 * conf_log2(pointers);
    if (e.n_direct > e.n_super) return conf_h5_index_fail(r, err);
    uint64_t bytes =
        PREFIX + e.n_first * e.a.element + 2 * (pointers - 1) * 8 + (e.n_super - e.n_direct) * 8 + CHECKSUM;
    rc = read_block(&e.a, address, bytes, "EAIB", &block, &b);
    if (rc != ASSAY_OK) return rc;
    e.a.offset_bytes = (max_bits + 7) / 8; /* of every block but this one */
    rc = read_index_block(&e, &b);
    free(block.data);
    return rc;
}
