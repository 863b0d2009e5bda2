/* Opening a table that a module exports: engines, kernels, serving and streams. Every table begins with the
 * version of its ABI and its size, and grows only at its end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_TABLE_H
#define CONFORMANCE_ABI_TABLE_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A member that is a pointer, and that every table must have. */
typedef struct conf_table_member {
    const char *name;
    size_t offset;
} conf_table_member;
#define CONF_TABLE_MEMBER(table, member)                                                                     \
    {                                                                                                        \
#member, offsetof(table, member)                                                                     \
    }

/* What is expected of one kind of table. */
typedef struct conf_table_kind {
    const char *symbol;      /* the function that returns it */
    const char *missing;     /* says of a module that it does not export the symbol: "no engine" */
    bool optional;           /* a module without it is sound, and offers nothing of this kind */
    const char *unavailable; /* why the function may return NULL; NULL: it may not */
    const char *abi_name;    /* "engine", of messages */
    const char *name;        /* "its serving table", of messages */
    uint32_t abi;            /* its version */
    size_t size_least, size; /* bytes: of the first version, and of this one */
    /* Checks what comes with the head, before members are looked for; NULL: nothing. */
    assay_status (*check)(const char *path, const void *table, assay_error *err);
    const conf_table_member *required;
    size_t n_required;
} conf_table_kind;

/* Loads the module for the rest of the process and checks the head of its table. *out lives as long; members
 * that a shorter table lacks are NULL. ASSAY_EIO where the module cannot be loaded; ASSAY_EUNSUPPORTED where
 * it does not export an optional table, or the table is unavailable; ASSAY_EFORMAT where the table is not of
 * this ABI, too short, or lacks a required member; ASSAY_ENOMEM. */
assay_status conf_table_open(const char *path, const conf_table_kind *kind, const void **out,
                             assay_error *err);

#endif
