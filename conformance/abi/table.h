/* Opens a table that a module exports: engine, kernels, serving or streams. Every table begins with the
 * version of its ABI and its size; later versions only append members.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_TABLE_H
#define CONFORMANCE_ABI_TABLE_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A required member; it is a pointer and must not be NULL. */
typedef struct conf_table_member {
    const char *name;
    size_t offset;
} conf_table_member;
#define CONF_TABLE_MEMBER(table, member)                                                                     \
    {                                                                                                        \
#member, offsetof(table, member)                                                                     \
    }

/* The requirements of one kind of table. */
typedef struct conf_table_kind {
    const char *symbol;      /* the exported function that returns the table */
    const char *missing;     /* message if the module does not export the symbol: "no engine" */
    bool optional;           /* a module without the symbol is valid: ASSAY_EUNSUPPORTED */
    const char *unavailable; /* message if the function returns NULL; NULL: that is an error */
    const char *abi_name;    /* for messages: "engine" */
    const char *name;        /* for messages: "its serving table" */
    uint32_t abi;            /* version of the ABI */
    size_t size_least, size; /* sizeof the table in its first version, and in this one */
    /* Further checks, run before those of required members. May be NULL. */
    assay_status (*check)(const char *path, const void *table, assay_error *err);
    const conf_table_member *required;
    size_t n_required;
} conf_table_kind;

/* Loads the module for the rest of the process and checks its table. *out lives as long as the process;
 * members that a shorter table lacks are NULL. Fails with ASSAY_EIO if the module cannot be loaded;
 * ASSAY_EUNSUPPORTED if it does not export an optional table, or the table is unavailable;
 * ASSAY_EFORMAT if the table is not of this ABI, is too short, or lacks a required member;
 * ASSAY_ENOMEM. */
assay_status conf_table_open(const char *path, const conf_table_kind *kind, const void **out,
                             assay_error *err);

#endif
