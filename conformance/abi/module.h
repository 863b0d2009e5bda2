/* Loads untrusted shared objects and finds the tables that they export.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_MODULE_H
#define CONFORMANCE_ABI_MODULE_H

#include <assay/status.h>

#include <stddef.h>

/* Loads a module for the rest of the process and looks up an exported function. out: pointer to a
 * function pointer, set to NULL if the module does not export `symbol`. Fails with ASSAY_EIO if the
 * module cannot be loaded. */
assay_status conf_module_find(const char *path, const char *symbol, void *out, assay_error *err);

/* Loads a module, and calls none of its functions: a process that is forked from this one then has it, and
 * need not load OpenBLAS, which takes longer than most cases. Only for bundled modules, and not in a process
 * in which others are loaded, which may share their libraries. Leaves the environment as it was. A failure
 * has no effect: conf_module_find reports it. */
void conf_module_load_early(const char *path);

/* Copies a table of `has` bytes into one of `wants` >= `has` bytes, for modules built with an older
 * header. Members that `shorter` does not hold completely are NULL. The copy lives for the rest of the
 * process, as the module does. NULL if out of memory. */
void *conf_module_lengthen(const void *shorter, size_t has, size_t wants);

#endif
