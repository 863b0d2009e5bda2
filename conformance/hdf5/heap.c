/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "conformance/hdf5/btree.h"
#include "conformance/hdf5/file.h"

#define ROWS_MAX  64
#define WIDTH_MAX 1024

enum { DIRECT_PREFIX = 13, CHECKSUM = 4 }; /* signature, version, the heap's address; before an offset */

static assay_status fail_heap(const conf_fractal *heap, assay_error *err)
{
    return conf_h5_fail_damaged(heap->file, heap->name, "its fractal heap", err);
}

static bool is_valid(const conf_fractal *heap, size_t offset_bits)
{
    return conf_is_power_of_two(heap->start_bytes) && conf_is_power_of_two(heap->direct_bytes_max) &&
           conf_is_power_of_two(heap->width) && heap->width <= WIDTH_MAX && heap->rows <= ROWS_MAX &&
           heap->start_bytes <= heap->direct_bytes_max && heap->direct_bytes_max <= UINT32_MAX &&
           offset_bits >= 8 && offset_bits <= 64;
}

assay_status conf_fractal_open(const conf_h5 *file, const char *name, uint64_t address, conf_fractal *out,
                               assay_error *err)
{
    enum { HEADER = 146, STATISTICS = 64 };
    conf_h5_block header;
    assay_status rc = conf_h5_block_read_checked(file, name, address, HEADER, &header, err);
    if (rc != ASSAY_OK) return rc;
    conf_fractal heap = {.file = file, .name = name, .address = address};
    conf_bytes b = conf_bytes_of(header.data, header.n);
    conf_bytes_expect(&b, "FRHP", 0);
    (void)conf_bytes_number(&b, 2); /* bytes of an id; the size of the B-trees' records implies it */
    bool has_filters = conf_bytes_number(&b, 2) != 0;
    heap.checked = conf_bytes_number(&b, 1) & 2U;
    uint64_t managed_max = conf_bytes_number(&b, 4);
    (void)conf_bytes_number(&b, 8); /* the id of the next large object */
    heap.huge = conf_bytes_number(&b, 8);
    (void)conf_bytes_next(&b, 16 + STATISTICS); /* free space and where it is listed */
    heap.width = (size_t)conf_bytes_number(&b, 2);
    heap.start_bytes = conf_bytes_number(&b, 8);
    heap.direct_bytes_max = conf_bytes_number(&b, 8);
    size_t offset_bits = (size_t)conf_bytes_number(&b, 2);
    (void)conf_bytes_number(&b, 2); /* rows that the root had at first */
    heap.root = conf_bytes_number(&b, 8);
    heap.rows = (size_t)conf_bytes_number(&b, 2);
    bool valid = !b.bad && !has_filters && is_valid(&heap, offset_bits);
    free(header.data);
    if (!valid) return fail_heap(&heap, err);
    heap.offset_bytes = (offset_bits + 7) / 8;
    heap.length_bytes = (conf_log2(heap.direct_bytes_max) + 7) / 8;
    size_t of_managed = conf_bytes_of_limit(managed_max);
    if (of_managed < heap.length_bytes) heap.length_bytes = of_managed;
    *out = heap;
    return ASSAY_OK;
}

void conf_fractal_close(conf_fractal *heap)
{
    for (size_t i = 0; i < heap->n_blocks; i++) free(heap->blocks[i].bytes.data);
    free(heap->blocks);
    *heap = (conf_fractal){0};
}

/* A direct block's checksum is stored between its prefix and its objects, and is computed with its own bytes
 * as zeros. */
static bool checksum_holds(const conf_fractal *heap, conf_h5_block *block)
{
    size_t at = DIRECT_PREFIX + heap->offset_bytes;
    if (block->n < at + CHECKSUM) return false;
    conf_bytes b = conf_bytes_of(block->data + at, CHECKSUM);
    uint32_t stored = (uint32_t)conf_bytes_number(&b, CHECKSUM);
    memset(block->data + at, 0, CHECKSUM);
    return conf_checksum_holds(stored, block->data, block->n);
}

/* Reads a block, or finds it among the blocks read earlier. direct: it contains objects, not addresses. */
static assay_status read_block(conf_fractal *heap, uint64_t address, uint64_t n, bool direct,
                               const conf_h5_block **out, assay_error *err)
{
    for (size_t i = 0; i < heap->n_blocks; i++)
        if (heap->blocks[i].address == address && heap->blocks[i].bytes.n == n) {
            *out = &heap->blocks[i].bytes;
            return ASSAY_OK;
        }
    conf_h5_block block;
    assay_status rc = direct ? conf_h5_block_read(heap->file, heap->name, address, n, &block, err)
                             : conf_h5_block_read_checked(heap->file, heap->name, address, n, &block, err);
    if (rc != ASSAY_OK) return rc;
    conf_bytes b = conf_bytes_of(block.data, block.n);
    conf_bytes_expect(&b, direct ? "FHDB" : "FHIB", 0);
    bool valid = conf_bytes_number(&b, 8) == heap->address && !b.bad;
    if (valid && direct && heap->checked) valid = checksum_holds(heap, &block);
    struct conf_fractal_block *grown = grow_by_one(heap->blocks, heap->n_blocks, sizeof *grown);
    if (grown) heap->blocks = grown;
    if (!grown || !valid) {
        free(block.data);
        return grown ? fail_heap(heap, err)
                     : assay_fail(err, ASSAY_ENOMEM, "%s: %s: out of memory", heap->file->path, heap->name);
    }
    grown[heap->n_blocks] = (struct conf_fractal_block){.address = address, .bytes = block};
    *out = &grown[heap->n_blocks++].bytes;
    return ASSAY_OK;
}

/* Finds the entry of an offset in a doubling table: blocks of the first two rows have start_bytes, and
 * blocks of each further row twice as many as those of the row before. *bytes: size of the entry's block;
 * *before: heap offset of its first byte. */
static void find_entry(const conf_fractal *heap, uint64_t offset, size_t *row, size_t *entry, uint64_t *bytes,
                       uint64_t *before)
{
    uint64_t first = heap->start_bytes * heap->width, in_row = offset;
    *row = 0;
    *bytes = heap->start_bytes;
    if (offset >= first) {
        size_t high = conf_log2(offset);
        *row = high - conf_log2(first) + 1;
        in_row = offset - ((uint64_t)1 << high);
        *bytes = heap->start_bytes << (*row - 1);
    }
    size_t column = (size_t)(in_row / *bytes);
    *entry = *row * heap->width + column;
    *before = offset - in_row % *bytes;
}

/* Finds the direct block that contains heap offset `offset`; *before: heap offset of its first byte. */
static assay_status find_block(conf_fractal *heap, uint64_t offset, const conf_h5_block **out,
                               uint64_t *before, assay_error *err)
{
    uint64_t address = heap->root, bytes = heap->start_bytes, start = 0;
    size_t n_rows = heap->rows;
    while (n_rows > 0) {
        size_t row, entry, size = DIRECT_PREFIX + heap->offset_bytes + n_rows * heap->width * 8 + CHECKSUM;
        uint64_t within;
        const conf_h5_block *block;
        assay_status rc = read_block(heap, address, size, false, &block, err);
        if (rc != ASSAY_OK) return rc;
        find_entry(heap, offset - start, &row, &entry, &bytes, &within);
        if (row >= n_rows) return fail_heap(heap, err);
        start += within;
        conf_bytes b = conf_bytes_of(block->data, block->n);
        (void)conf_bytes_next(&b, DIRECT_PREFIX + heap->offset_bytes + 8 * entry);
        address = conf_bytes_number(&b, 8);
        if (bytes <= heap->direct_bytes_max) break;
        /* A child's table has as many rows as its size requires, always fewer than its parent's. */
        n_rows = conf_log2(bytes) - conf_log2(heap->start_bytes * heap->width) + 1;
        if (n_rows > row) return fail_heap(heap, err);
    }
    *before = start;
    return read_block(heap, address, bytes, true, out, err);
}

/* A search for a large object's entry in the B-tree. */
typedef struct huge_search {
    uint64_t id, address, bytes;
} huge_search;

static assay_status match_huge(void *context, conf_bytes record, assay_error *err)
{
    (void)err;
    huge_search *s = context;
    uint64_t address = conf_bytes_number(&record, 8), bytes = conf_bytes_number(&record, 8);
    if (conf_bytes_number(&record, 8) != s->id || record.bad) return ASSAY_OK;
    s->address = address;
    s->bytes = bytes;
    return ASSAY_OK;
}

static assay_status read_huge(conf_fractal *heap, conf_bytes id, conf_h5_block *out, assay_error *err)
{
    huge_search s = {.id = conf_bytes_number(&id, id.n < 8 ? id.n : 8), .address = CONF_H5_UNDEFINED};
    assay_status rc =
        conf_btree2_walk(heap->file, heap->name, heap->huge, CONF_BTREE2_HUGE, match_huge, &s, err);
    if (rc != ASSAY_OK) return rc;
    if (s.address == CONF_H5_UNDEFINED) return fail_heap(heap, err);
    return conf_h5_block_read(heap->file, heap->name, s.address, s.bytes, out, err);
}

assay_status conf_fractal_read(conf_fractal *heap, conf_bytes id, conf_h5_block *out, assay_error *err)
{
    enum { MANAGED = 0, HUGE_OBJECT = 1 };
    unsigned start = (unsigned)conf_bytes_number(&id, 1), kind = start >> 4 & 3U;
    if (start >> 6 != 0 || (kind != MANAGED && kind != HUGE_OBJECT)) return fail_heap(heap, err);
    if (kind == HUGE_OBJECT) return read_huge(heap, id, out, err);
    uint64_t offset = conf_bytes_number(&id, heap->offset_bytes), before = 0;
    uint64_t length = conf_bytes_number(&id, heap->length_bytes);
    const conf_h5_block *block;
    if (id.bad) return fail_heap(heap, err);
    assay_status rc = find_block(heap, offset, &block, &before, err);
    if (rc != ASSAY_OK) return rc;
    uint64_t at = offset - before;
    if (at > block->n || length > block->n - at) return fail_heap(heap, err);
    conf_h5_block object = {.data = malloc(length ? (size_t)length : 1), .n = (size_t)length};
    if (!object.data) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", heap->file->path);
    memcpy(object.data, block->data + at, object.n);
    *out = object;
    return ASSAY_OK;
}

assay_status conf_global_text_read(const conf_h5 *file, const char *name, uint64_t address, unsigned index,
                                   size_t length, char **out, assay_error *err)
{
    enum { PREFIX = 16, OBJECT_PREFIX = 16 };
    static const char what[] = "its text in the global heap";
    conf_h5_block block;
    assay_status rc = conf_h5_block_read(file, name, address, PREFIX, &block, err);
    if (rc != ASSAY_OK) return rc;
    conf_bytes b = conf_bytes_of(block.data, block.n);
    conf_bytes_expect(&b, "GCOL", 1);
    (void)conf_bytes_next(&b, 3);
    uint64_t n = conf_bytes_number(&b, 8);
    bool valid = !b.bad && n >= PREFIX && n <= CONF_H5_COLLECTION_BYTES_MAX;
    free(block.data);
    if (!valid) return conf_h5_fail_damaged(file, name, what, err);
    rc = conf_h5_block_read(file, name, address, n, &block, err);
    if (rc != ASSAY_OK) return rc;
    b = conf_bytes_of(block.data + PREFIX, block.n - PREFIX);
    const unsigned char *text = NULL;
    while (!text && b.n >= OBJECT_PREFIX) {
        unsigned found = (unsigned)conf_bytes_number(&b, 2);
        (void)conf_bytes_next(&b, 6); /* references, reserved */
        uint64_t bytes = conf_bytes_number(&b, 8);
        if (found == 0 || bytes > b.n) break; /* the rest is free space, or damaged */
        size_t padded = (size_t)(bytes + 7) / 8 * 8;
        if (found == index && bytes >= length) text = b.at;
        if (found == index) break;
        (void)conf_bytes_next(&b, padded < b.n ? padded : b.n);
    }
    char *copy = text ? strndup((const char *)text, length) : NULL;
    free(block.data);
    if (!text) return conf_h5_fail_damaged(file, name, what, err);
    if (!copy) return assay_fail(err, ASSAY_ENOMEM, "%s: %s: out of memory", file->path, name);
    *out = copy;
    return ASSAY_OK;
}
