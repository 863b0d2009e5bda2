/* Groups of both formats: a B-tree of symbols and a heap of their names, or messages, or, for many links,
 * messages in a fractal heap.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/hdf5/btree.h"
#include "conformance/hdf5/header.h"
#include "conformance/hdf5/heap.h"

#define NAME_BYTES_MAX 256

typedef struct group_reader {
    const conf_h5 *file;
    const char *name;
    conf_h5_group *group;
    conf_h5_block names; /* of the older format */
    conf_fractal heap;   /* of the newer */
} group_reader;

static assay_status fail_list(const group_reader *r, assay_error *err)
{
    return assay_fail(err, ASSAY_EFORMAT, "%s: the members of %s cannot be listed (at most %d are read)",
                      r->file->path, r->name, CONF_H5_MEMBERS_MAX);
}

void conf_h5_group_free(conf_h5_group *group)
{
    for (size_t i = 0; i < group->n; i++) free(group->links[i].name);
    free(group->links);
    *group = (conf_h5_group){0};
}

/* Adds a link; name: [n], must not contain NUL. */
static assay_status add_link(group_reader *r, const unsigned char *name, size_t n, conf_h5_link link,
                             assay_error *err)
{
    conf_h5_group *g = r->group;
    if (n == 0 || g->n == CONF_H5_MEMBERS_MAX || memchr(name, '\0', n)) return fail_list(r, err);
    link.name = strndup((const char *)name, n);
    if (!g->links) g->links = calloc(CONF_H5_MEMBERS_MAX, sizeof *g->links);
    if (!link.name || !g->links) {
        free(link.name);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", r->file->path);
    }
    g->links[g->n++] = link;
    return ASSAY_OK;
}

/* A link message, in a header or in a heap. */
static assay_status read_link(group_reader *r, conf_bytes b, assay_error *err)
{
    enum { HAS_ORDER = 4, HAS_KIND = 8, HAS_CHARSET = 16, HARD = 0, SOFT = 1 };
    unsigned version = (unsigned)conf_bytes_number(&b, 1), flags = (unsigned)conf_bytes_number(&b, 1);
    unsigned kind = flags & HAS_KIND ? (unsigned)conf_bytes_number(&b, 1) : HARD;
    if (flags & HAS_ORDER) (void)conf_bytes_number(&b, 8);
    if (flags & HAS_CHARSET) (void)conf_bytes_number(&b, 1);
    size_t n = (size_t)conf_bytes_number(&b, (size_t)1 << (flags & 3U));
    const unsigned char *name = conf_bytes_next(&b, n);
    conf_h5_link link = {.kind = kind == HARD   ? CONF_LINK_HARD
                                 : kind == SOFT ? CONF_LINK_SOFT
                                                : CONF_LINK_EXTERNAL};
    if (kind == HARD) link.address = conf_bytes_number(&b, 8);
    return b.bad || version != 1 ? fail_list(r, err) : add_link(r, name, n, link, err);
}

static assay_status read_record(void *context, conf_bytes record, assay_error *err)
{
    group_reader *r = context;
    conf_h5_block object;
    (void)conf_bytes_number(&record, 4); /* the hash of its name */
    assay_status rc = conf_fractal_read(&r->heap, record, &object, err);
    if (rc != ASSAY_OK) return rc;
    rc = read_link(r, conf_bytes_of(object.data, object.n), err);
    free(object.data);
    return rc;
}

/* Reads the links that a link info message refers to: none if all links are messages in the header. */
static assay_status read_dense(group_reader *r, const conf_h5_message *m, assay_error *err)
{
    conf_bytes b = conf_bytes_of(m->data, m->n);
    unsigned version = (unsigned)conf_bytes_number(&b, 1), flags = (unsigned)conf_bytes_number(&b, 1);
    if (flags & 1U) (void)conf_bytes_number(&b, 8); /* the next creation order */
    uint64_t heap = conf_bytes_number(&b, 8), names = conf_bytes_number(&b, 8);
    if (b.bad || version != 0) return fail_list(r, err);
    if (heap == CONF_H5_UNDEFINED) return ASSAY_OK;
    assay_status rc = conf_fractal_open(r->file, r->name, heap, &r->heap, err);
    if (rc == ASSAY_OK)
        rc = conf_btree2_walk(r->file, r->name, names, CONF_BTREE2_LINKS, read_record, r, err);
    conf_fractal_close(&r->heap);
    return rc;
}

/* A symbol table entry of the older format: offset of its name, address, and kind. */
static assay_status read_symbol(group_reader *r, conf_bytes *b, assay_error *err)
{
    enum { SOFT = 2 };
    uint64_t at = conf_bytes_number(b, 8);
    conf_h5_link link = {.address = conf_bytes_number(b, 8)};
    link.kind = conf_bytes_number(b, 4) == SOFT ? CONF_LINK_SOFT : CONF_LINK_HARD;
    (void)conf_bytes_next(b, 20);
    if (b->bad || at >= r->names.n) return fail_list(r, err);
    const unsigned char *name = r->names.data + at;
    size_t n = strnlen((const char *)name, r->names.n - (size_t)at);
    return add_link(r, name, n, link, err);
}

static assay_status read_symbols(void *context, const unsigned char *key, uint64_t address, assay_error *err)
{
    enum { PREFIX = 8, ENTRY = 40 };
    (void)key;
    group_reader *r = context;
    conf_h5_block block;
    assay_status rc = conf_h5_block_read(r->file, r->name, address, PREFIX, &block, err);
    if (rc != ASSAY_OK) return rc;
    conf_bytes b = conf_bytes_of(block.data, block.n);
    conf_bytes_expect(&b, "SNOD", 1);
    (void)conf_bytes_number(&b, 1);
    size_t n = (size_t)conf_bytes_number(&b, 2);
    bool valid = !b.bad;
    free(block.data);
    if (!valid) return fail_list(r, err);
    rc = conf_h5_block_read(r->file, r->name, address + PREFIX, n * ENTRY, &block, err);
    if (rc != ASSAY_OK) return rc;
    b = conf_bytes_of(block.data, block.n);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) rc = read_symbol(r, &b, err);
    free(block.data);
    return rc;
}

static assay_status read_table(group_reader *r, const conf_h5_message *m, assay_error *err)
{
    enum { HEAP_HEADER = 32 };
    conf_bytes b = conf_bytes_of(m->data, m->n);
    uint64_t tree = conf_bytes_number(&b, 8), heap = conf_bytes_number(&b, 8);
    conf_h5_block header;
    if (b.bad) return fail_list(r, err);
    assay_status rc = conf_h5_block_read(r->file, r->name, heap, HEAP_HEADER, &header, err);
    if (rc != ASSAY_OK) return rc;
    b = conf_bytes_of(header.data, header.n);
    conf_bytes_expect(&b, "HEAP", 0);
    (void)conf_bytes_next(&b, 3);
    uint64_t bytes = conf_bytes_number(&b, 8);
    (void)conf_bytes_number(&b, 8); /* offset of its free list */
    uint64_t address = conf_bytes_number(&b, 8);
    bool valid = !b.bad;
    free(header.data);
    if (!valid) return fail_list(r, err);
    rc = conf_h5_block_read(r->file, r->name, address, bytes, &r->names, err);
    if (rc != ASSAY_OK) return rc;
    rc = conf_btree1_walk(r->file, r->name, tree, CONF_BTREE1_GROUP, 8, read_symbols, r, err);
    free(r->names.data);
    return rc;
}

static int compare_links(const void *a, const void *b)
{
    return strcmp(((const conf_h5_link *)a)->name, ((const conf_h5_link *)b)->name);
}

/* Sorts the links. Fails if two have the same name, since a lookup would be ambiguous. */
static assay_status sort_links(const group_reader *r, assay_error *err)
{
    conf_h5_group *g = r->group;
    if (g->n) qsort(g->links, g->n, sizeof *g->links, compare_links);
    for (size_t i = 1; i < g->n; i++)
        if (strcmp(g->links[i - 1].name, g->links[i].name) == 0) return fail_list(r, err);
    return ASSAY_OK;
}

static assay_status read_group(group_reader *r, const conf_h5_header *header, assay_error *err)
{
    const conf_h5_message *table = conf_h5_header_find(header, CONF_MESSAGE_SYMBOLS);
    const conf_h5_message *info = conf_h5_header_find(header, CONF_MESSAGE_LINK_INFO);
    assay_status rc = table || info ? ASSAY_OK : fail_list(r, err);
    if (rc == ASSAY_OK && table) rc = read_table(r, table, err);
    if (rc == ASSAY_OK && info) rc = read_dense(r, info, err);
    for (size_t i = 0; i < header->n && rc == ASSAY_OK; i++)
        if (header->messages[i].type == CONF_MESSAGE_LINK)
            rc = read_link(r, conf_bytes_of(header->messages[i].data, header->messages[i].n), err);
    return rc == ASSAY_OK ? sort_links(r, err) : rc;
}

assay_status conf_h5_group_list(const conf_h5 *file, const char *name, uint64_t address,
                                const conf_h5_group **out, assay_error *err)
{
    conf_h5_state *state = file->state;
    for (size_t i = 0; i < CONF_H5_GROUPS_CACHED && i < state->n_groups; i++)
        if (state->groups[i].address == address) {
            *out = &state->groups[i];
            return ASSAY_OK;
        }
    conf_h5_group group = {.address = address};
    group_reader r = {.file = file, .name = name, .group = &group};
    conf_h5_header header;
    assay_status rc = conf_h5_header_read(file, name, address, &header, err);
    if (rc != ASSAY_OK) return rc;
    rc = read_group(&r, &header, err);
    conf_h5_header_free(&header);
    if (rc != ASSAY_OK) {
        conf_h5_group_free(&group);
        return rc;
    }
    conf_h5_group *slot = &state->groups[state->n_groups++ % CONF_H5_GROUPS_CACHED];
    conf_h5_group_free(slot);
    *slot = group;
    *out = slot;
    return ASSAY_OK;
}

assay_status conf_h5_resolve(const conf_h5 *file, const char *name, const conf_h5_link **link,
                             size_t *n_followed, assay_error *err)
{
    uint64_t address = file->root;
    char group_name[NAME_BYTES_MAX] = "/", part[NAME_BYTES_MAX];
    *link = NULL;
    if (strlen(name) >= NAME_BYTES_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: a member's name is too long", file->path);
    for (const char *at = name; at[strspn(at, "/")];) {
        at += strspn(at, "/");
        size_t n = strcspn(at, "/");
        memcpy(part, at, n);
        part[n] = '\0';
        const conf_h5_group *group;
        assay_status rc = conf_h5_group_list(file, group_name, address, &group, err);
        if (rc != ASSAY_OK) return rc;
        const conf_h5_link key = {.name = part};
        *link = group->n ? bsearch(&key, group->links, group->n, sizeof key, compare_links) : NULL;
        at += n;
        memcpy(group_name, name, (size_t)(at - name));
        *n_followed = (size_t)(at - name);
        if (!*link || (*link)->kind != CONF_LINK_HARD) return ASSAY_OK;
        address = (*link)->address;
    }
    return ASSAY_OK;
}

assay_status conf_h5_object_find(const conf_h5 *file, const char *name, uint64_t *address, assay_error *err)
{
    const conf_h5_link *link;
    size_t n;
    if (name[strspn(name, "/")] == '\0') {
        *address = file->root;
        return ASSAY_OK;
    }
    assay_status rc = conf_h5_resolve(file, name, &link, &n, err);
    if (rc != ASSAY_OK) return rc;
    if (!link) return assay_fail(err, ASSAY_EFORMAT, "%s: %s is missing", file->path, name);
    if (link->kind != CONF_LINK_HARD)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %.*s is %s; only members of the file itself are read",
                          file->path, (int)n, name,
                          link->kind == CONF_LINK_SOFT ? "a soft link" : "an external link");
    *address = link->address;
    return ASSAY_OK;
}
