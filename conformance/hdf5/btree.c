/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/btree.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 32 /* of version 2: deeper trees, of 2 records a node, have more records than addresses */

typedef struct btree1 {
    const conf_h5 *file;
    const char *name;
    unsigned node_type;
    size_t key_bytes;
    conf_btree1_fn *fn;
    void *context;
    assay_error *err;
} btree1;

static assay_status fail_damaged(const conf_h5 *file, const char *name, assay_error *err)
{
    return conf_h5_fail_damaged(file, name, "its B-tree", err);
}

/* level < 0: any. Each child must be one level below its parent, so that the one-byte level bounds the
 * depth. */
static assay_status walk_node1(const btree1 *t, uint64_t address, int level)
{
    enum { PREFIX = 24 };
    conf_h5_block prefix, node;
    assay_status rc = conf_h5_block_read(t->file, t->name, address, PREFIX, &prefix, t->err);
    if (rc != ASSAY_OK) return rc;
    conf_bytes b = conf_bytes_of(prefix.data, prefix.n);
    const unsigned char *signature = conf_bytes_next(&b, 4);
    unsigned node_type = (unsigned)conf_bytes_number(&b, 1);
    int found = (int)conf_bytes_number(&b, 1);
    size_t n = (size_t)conf_bytes_number(&b, 2), entry = t->key_bytes + 8;
    bool valid =
        memcmp(signature, "TREE", 4) == 0 && node_type == t->node_type && (level < 0 || found == level);
    free(prefix.data);
    if (!valid) return fail_damaged(t->file, t->name, t->err);
    rc = conf_h5_block_read(t->file, t->name, address + PREFIX, n * entry, &node, t->err);
    if (rc != ASSAY_OK) return rc;
    b = conf_bytes_of(node.data, node.n);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        const unsigned char *key = conf_bytes_next(&b, t->key_bytes);
        uint64_t child = conf_bytes_number(&b, 8);
        rc = found > 0 ? walk_node1(t, child, found - 1) : t->fn(t->context, key, child, t->err);
    }
    free(node.data);
    return rc;
}

assay_status conf_btree1_walk(const conf_h5 *file, const char *name, uint64_t address, unsigned node_type,
                              size_t key_bytes, conf_btree1_fn *fn, void *context, assay_error *err)
{
    const btree1 t = {.file = file,
                      .name = name,
                      .node_type = node_type,
                      .key_bytes = key_bytes,
                      .fn = fn,
                      .context = context,
                      .err = err};
    return walk_node1(&t, address, -1);
}

typedef struct btree2 {
    const conf_h5 *file;
    const char *name;
    unsigned record_type;
    size_t node_bytes, record_bytes, depth;
    size_t count_bytes; /* size of the number of a child's records */
    size_t
        total_bytes[DEPTH_MAX + 1]; /* size of the number of all records below a node, by the node's height */
    conf_btree2_fn *fn;
    void *context;
    assay_error *err;
} btree2;

enum { NODE_PREFIX = 6, NODE_CHECKSUM = 4 };

/* Computes the sizes of the numbers of records, which depend on the capacity of nodes. */
static bool find_sizes(btree2 *t)
{
    const size_t overhead = NODE_PREFIX + NODE_CHECKSUM;
    if (t->depth > DEPTH_MAX || t->record_bytes == 0 || t->node_bytes < overhead + t->record_bytes)
        return false;
    uint64_t most = (t->node_bytes - overhead) / t->record_bytes, total = most;
    t->count_bytes = conf_bytes_of_limit(most);
    for (size_t height = 1; height <= t->depth; height++) {
        size_t pointer = 8 + t->count_bytes + t->total_bytes[height - 1];
        if (t->node_bytes < overhead + 2 * pointer + t->record_bytes) return false;
        most = (t->node_bytes - overhead - pointer) / (t->record_bytes + pointer);
        total = total > UINT64_MAX / 2 / (most + 1) ? UINT64_MAX / 2 : (most + 1) * total + most;
        t->total_bytes[height] = conf_bytes_of_limit(total);
    }
    return true;
}

static assay_status walk_node2(const btree2 *t, uint64_t address, size_t n, size_t height)
{
    size_t pointer = height ? 8 + t->count_bytes + t->total_bytes[height - 1] : 0;
    size_t used = NODE_PREFIX + n * t->record_bytes + (height ? (n + 1) * pointer : 0) + NODE_CHECKSUM;
    if (used > t->node_bytes) return fail_damaged(t->file, t->name, t->err);
    conf_h5_block node;
    assay_status rc = conf_h5_block_read_checked(t->file, t->name, address, used, &node, t->err);
    if (rc != ASSAY_OK) return rc;
    conf_bytes b = conf_bytes_of(node.data, node.n);
    conf_bytes_expect(&b, height ? "BTIN" : "BTLF", 0);
    bool valid = conf_bytes_number(&b, 1) == t->record_type && !b.bad;
    conf_bytes records = conf_bytes_of(b.at, n * t->record_bytes);
    (void)conf_bytes_next(&b, records.n);
    if (!valid) rc = fail_damaged(t->file, t->name, t->err);
    for (size_t i = 0; i <= n && rc == ASSAY_OK; i++) {
        if (height) {
            uint64_t child = conf_bytes_number(&b, 8), count = conf_bytes_number(&b, t->count_bytes);
            (void)conf_bytes_number(&b, t->total_bytes[height - 1]);
            rc = walk_node2(t, child, (size_t)count, height - 1);
        }
        if (i < n && rc == ASSAY_OK) {
            conf_bytes record = conf_bytes_of(conf_bytes_next(&records, t->record_bytes), t->record_bytes);
            rc = t->fn(t->context, record, t->err);
        }
    }
    free(node.data);
    return rc;
}

assay_status conf_btree2_walk(const conf_h5 *file, const char *name, uint64_t address, unsigned record_type,
                              conf_btree2_fn *fn, void *context, assay_error *err)
{
    enum { HEADER = 38 };
    conf_h5_block header;
    assay_status rc = conf_h5_block_read_checked(file, name, address, HEADER, &header, err);
    if (rc != ASSAY_OK) return rc;
    btree2 t = {
        .file = file, .name = name, .record_type = record_type, .fn = fn, .context = context, .err = err};
    conf_bytes b = conf_bytes_of(header.data, header.n);
    conf_bytes_expect(&b, "BTHD", 0);
    bool valid = conf_bytes_number(&b, 1) == record_type;
    t.node_bytes = (size_t)conf_bytes_number(&b, 4);
    t.record_bytes = (size_t)conf_bytes_number(&b, 2);
    t.depth = (size_t)conf_bytes_number(&b, 2);
    (void)conf_bytes_next(&b, 2); /* when nodes are split and merged */
    uint64_t root = conf_bytes_number(&b, 8);
    size_t n = (size_t)conf_bytes_number(&b, 2);
    valid = valid && !b.bad && find_sizes(&t);
    free(header.data);
    if (!valid) return fail_damaged(file, name, err);
    if (root == CONF_H5_UNDEFINED) return ASSAY_OK;
    return walk_node2(&t, root, n, t.depth);
}
