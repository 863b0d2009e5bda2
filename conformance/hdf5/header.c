/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/header.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "conformance/hdf5/file.h"

#define MESSAGES_MAX 65536
#define BLOCKS_MAX   1024

#define FLAG_ORDER  4U /* of a header: its messages have a creation order */
#define FLAG_PHASES 16U
#define FLAG_TIMES  32U

/* Of a message: a reader that does not know its type must fail. */
#define FLAG_FAIL_IF_UNKNOWN 128U
#define TYPE_UNKNOWN         24U /* the first type that version 1 of the format's documents does not have */

typedef struct header_reader {
    const conf_h5 *file;
    const char *name;
    conf_h5_header *header;
    bool latest;   /* version 2 */
    bool is_order; /* messages have a creation order */
    assay_error *err;
} header_reader;

static assay_status fail_memory(const header_reader *r)
{
    return assay_fail(r->err, ASSAY_ENOMEM, "%s: %s: out of memory", r->file->path, r->name);
}

static assay_status fail_damaged(const header_reader *r)
{
    return conf_h5_fail_damaged(r->file, r->name, "its object header", r->err);
}

/* Adds a block to the header, which takes ownership. */
static assay_status add_block(header_reader *r, conf_h5_block *block)
{
    conf_h5_header *h = r->header;
    conf_h5_block *grown =
        h->n_blocks < BLOCKS_MAX ? grow_by_one(h->blocks, h->n_blocks, sizeof *grown) : NULL;
    if (!grown) {
        free(block->data);
        return h->n_blocks < BLOCKS_MAX ? fail_memory(r) : fail_damaged(r);
    }
    h->blocks = grown;
    h->blocks[h->n_blocks++] = *block;
    return ASSAY_OK;
}

static assay_status add_message(header_reader *r, const conf_h5_message *message)
{
    conf_h5_header *h = r->header;
    if (h->n == MESSAGES_MAX || (message->type >= TYPE_UNKNOWN && message->flags & FLAG_FAIL_IF_UNKNOWN))
        return fail_damaged(r);
    conf_h5_message *grown = grow_by_one(h->messages, h->n, sizeof *grown);
    if (!grown) return fail_memory(r);
    h->messages = grown;
    h->messages[h->n++] = *message;
    return ASSAY_OK;
}

/* Reads the messages in b; a rest that is too short for a message is a gap. */
static assay_status read_messages(header_reader *r, conf_bytes b)
{
    size_t prefix = r->latest ? 4 + (r->is_order ? 2 : 0) : 8;
    assay_status rc = ASSAY_OK;
    while (rc == ASSAY_OK && b.n >= prefix) {
        conf_h5_message m;
        m.type = (unsigned)conf_bytes_number(&b, r->latest ? 1 : 2);
        m.n = (size_t)conf_bytes_number(&b, 2);
        m.flags = (unsigned)conf_bytes_number(&b, 1);
        (void)conf_bytes_next(&b, prefix - (r->latest ? 4 : 5));
        m.data = conf_bytes_next(&b, m.n);
        if (b.bad) return fail_damaged(r);
        rc = add_message(r, &m);
    }
    return rc;
}

static assay_status read_continuation(header_reader *r, const conf_h5_message *m)
{
    conf_bytes b = conf_bytes_of(m->data, m->n);
    uint64_t address = conf_bytes_number(&b, 8), n = conf_bytes_number(&b, 8);
    conf_h5_block block;
    if (b.bad) return fail_damaged(r);
    assay_status rc = r->latest ? conf_h5_block_read_checked(r->file, r->name, address, n, &block, r->err)
                                : conf_h5_block_read(r->file, r->name, address, n, &block, r->err);
    if (rc == ASSAY_OK) rc = add_block(r, &block);
    if (rc != ASSAY_OK) return rc;
    if (!r->latest) return read_messages(r, conf_bytes_of(block.data, block.n));
    if (block.n < 8 || memcmp(block.data, "OCHK", 4) != 0) return fail_damaged(r);
    return read_messages(r, conf_bytes_of(block.data + 4, block.n - 8));
}

/* Reads the first block of messages, after a prefix that states its size. */
static assay_status read_first(header_reader *r, uint64_t address, size_t prefix, uint64_t n)
{
    conf_h5_block block;
    assay_status rc;
    if (r->latest) rc = conf_h5_block_read_checked(r->file, r->name, address, prefix + n + 4, &block, r->err);
    else rc = conf_h5_block_read(r->file, r->name, address, prefix + n, &block, r->err);
    if (rc == ASSAY_OK) rc = add_block(r, &block);
    return rc == ASSAY_OK ? read_messages(r, conf_bytes_of(block.data + prefix, (size_t)n)) : rc;
}

static assay_status read_prefix(header_reader *r, uint64_t address)
{
    enum { V1_PREFIX = 16, V2_PREFIX = 6 };
    conf_h5_block start;
    assay_status rc = conf_h5_block_read(r->file, r->name, address, V1_PREFIX, &start, r->err);
    if (rc != ASSAY_OK) return rc;
    conf_bytes b = conf_bytes_of(start.data, start.n);
    if (memcmp(start.data, "OHDR", 4) == 0) {
        conf_bytes_expect(&b, "OHDR", 2);
        unsigned flags = (unsigned)conf_bytes_number(&b, 1);
        size_t skipped = (flags & FLAG_TIMES ? 16U : 0U) + (flags & FLAG_PHASES ? 4U : 0U),
               n_size = 1U << (flags & 3U);
        bool bad = b.bad;
        free(start.data);
        if (bad) return fail_damaged(r);
        r->latest = true;
        r->is_order = flags & FLAG_ORDER;
        rc = conf_h5_block_read(r->file, r->name, address + V2_PREFIX + skipped, n_size, &start, r->err);
        if (rc != ASSAY_OK) return rc;
        b = conf_bytes_of(start.data, start.n);
        uint64_t n = conf_bytes_number(&b, n_size);
        free(start.data);
        if (n > r->file->size) return fail_damaged(r);
        return read_first(r, address, V2_PREFIX + skipped + n_size, n);
    }
    unsigned version = (unsigned)conf_bytes_number(&b, 1);
    (void)conf_bytes_next(&b, 7);
    uint64_t n = conf_bytes_number(&b, 4);
    free(start.data);
    return version == 1 ? read_first(r, address, V1_PREFIX, n) : fail_damaged(r);
}

assay_status conf_h5_header_read(const conf_h5 *file, const char *name, uint64_t address, conf_h5_header *out,
                                 assay_error *err)
{
    conf_h5_header header = {0};
    header_reader r = {.file = file, .name = name, .header = &header, .err = err};
    assay_status rc = read_prefix(&r, address);
    for (size_t i = 0; i < header.n && rc == ASSAY_OK; i++) {
        conf_h5_message m = header.messages[i];
        if (m.type == CONF_MESSAGE_CONTINUATION) rc = read_continuation(&r, &m);
    }
    if (rc != ASSAY_OK) conf_h5_header_free(&header);
    else *out = header;
    return rc;
}

void conf_h5_header_free(conf_h5_header *h)
{
    for (size_t i = 0; i < h->n_blocks; i++) free(h->blocks[i].data);
    free(h->blocks);
    free(h->messages);
    *h = (conf_h5_header){0};
}

const conf_h5_message *conf_h5_header_find(const conf_h5_header *h, unsigned type)
{
    for (size_t i = 0; i < h->n; i++)
        if (h->messages[i].type == type) return &h->messages[i];
    return NULL;
}
