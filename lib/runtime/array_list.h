/* The arrays that a model owns: all arrays that were converted, packed or derived from the checkpoint when it
 * was opened, including private ones, which a list of parameters would not show.
 *
 * They are deferred on the default stream of the thread that opens the list. Opening a model ends by
 * realising the list, so that no array is still deferred when the thread that built it ends.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_ARRAY_LIST_H
#define RUNTIME_ARRAY_LIST_H

#include "runtime/array.h"

typedef struct array_list array_list;

/* Fails as stream_default does, or with ASSAY_ENOMEM. The caller frees *out, which releases the arrays. */
assay_status array_list_open(array_list **out, assay_error *err);
void array_list_free(array_list *l); /* NULL allowed */

/* Defers an array that the list owns; the returned array is borrowed. name: copied; the name of a
 * checkpoint's tensor or, if is_private, of the array's purpose. Otherwise as array_defer. Errors stick:
 * after the first one every call returns NULL, and array_list_realise returns the error. */
array *array_list_defer(array_list *l, const char *name, bool is_private, size_t n_bytes, array_maker maker,
                        array *const *inputs, size_t n_inputs);

/* Realises all arrays in the order in which they were deferred. Fails with the error of a failed
 * array_list_defer or of a failed maker, and with ASSAY_ESTREAM on a thread that does not own their stream;
 * the text names the array. */
assay_status array_list_realise(array_list *l, assay_error *err);

/* To be called before the arrays are read. Free of cost if the list is realised; otherwise as
 * array_list_realise, which fails on any thread but the one that built the list. */
assay_status array_list_require(array_list *l, assay_error *err);

/* In the order in which they were deferred. */
size_t array_list_count(const array_list *l);
array *array_list_at(const array_list *l, size_t i, assay_array_info *info);
void array_list_visit(const array_list *l, assay_array_visitor *visit, void *context);

#endif
