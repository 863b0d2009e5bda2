/* Untrusted shared objects, and the tables that they export.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_MODULE_H
#define CONFORMANCE_ABI_MODULE_H

#include <assay/status.h>

#include <stddef.h>

/* Loads a module for the rest of the process, and finds the function that it exports under this name, and
 * stores it in *out, a function pointer; NULL if it exports none. ASSAY_EIO if it cannot be loaded. */
assay_status conf_module_find(const char *path, const char *symbol, void *out, assay_error *err);

/* A table of `wants` bytes for one that was built with `has`, fewer: its whole members, and NULL for the
 * rest. Like the module it stays for the rest of the process. NULL without memory. */
void *conf_module_lengthen(const void *shorter, size_t has, size_t wants);

#endif
