/* The arrays that a model owns: all that its opening has converted, packed or derived from the checkpoint,
 * private ones among them, which no list of parameters would show.
 *
 * They are deferred on the default stream of the thread that opens the list. Opening a model ends by
 * realising the list, so that no array outlives, deferred, the thread that built it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_ARRAY_LIST_H
#define RUNTIME_ARRAY_LIST_H

#include "runtime/array.h"

typedef struct array_list array_list;

/* Fails as stream_default does, or with ASSAY_ENOMEM. The caller frees *out, and with it the arrays. */
assay_status array_list_open(array_list **out, assay_error *err);
void array_list_free(array_list *l); /* NULL allowed */

/* Defers an array for the list to own. name: copied; that of a checkpoint's tensor, or, where is_private, of
 * what the array is for. Otherwise as array_defer; the array is borrowed. Errors stick: after the first NULL
 * is returned, and array_list_realise tells what it was. */
array *array_list_defer(array_list *l, const char *name, bool is_private, size_t n_bytes, array_maker maker,
                        array *const *inputs, size_t n_inputs);

/* Realises all arrays in the order in which they were deferred. Fails as deferring one did, as making one
 * does, and with ASSAY_ESTREAM on a thread where their stream does not live; the text names the array. */
assay_status array_list_realise(array_list *l, assay_error *err);

/* For who is about to read the arrays: at no cost where the list is realised. Otherwise as
 * array_list_realise, which a thread other than the builder's cannot do for it. */
assay_status array_list_require(array_list *l, assay_error *err);

/* In the order in which they were deferred. */
size_t array_list_count(const array_list *l);
array *array_list_at(const array_list *l, size_t i, assay_array_info *info);
void array_list_visit(const array_list *l, assay_array_visitor *visit, void *context);

#endif
