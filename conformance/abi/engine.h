/* Finds and opens engine modules. Their exported tables are checked before any call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_ENGINE_H
#define CONFORMANCE_ABI_ENGINE_H

#include <assay/engine.h>

#include <stdbool.h>

#include "conformance/support/strings.h"

/* The bundled engine whose tensors stand for those that are not recorded. */
#define CONF_ENGINE_REFERENCE "ref64"

/* The engines that come with Assay, NULL-terminated. */
extern const char *const conf_engine_bundled[];

/* Whether `name` is in conf_engine_bundled. */
bool conf_engine_is_bundled(const char *name);

/* Whether all of names[n] are. */
bool conf_engine_are_bundled(const char *const *names, size_t n);

/* The bundled engines that accept kernels from a library, NULL-terminated. */
extern const char *const conf_engine_with_kernels[];
/* The bundled engines that accept a compute type, NULL-terminated. */
extern const char *const conf_engine_with_compute[];

/* The default engines of a command: the bundled engines that accept the request, NULL-terminated.
 * with_kernels, computing: whether kernels or a compute type are requested. */
const char *const *conf_engine_default(bool with_kernels, bool computing);

/* Finds the module of an engine. A `name` "exec:COMMAND" is a program (docs/protocol.md), and returned as it
 * is. One that contains '/' or ends in ".so" is itself a path; any other is searched as <name>.so in `dirs`,
 * in order. The caller frees *path. Fails with ASSAY_EIO, naming the file and the directories, if none has
 * it, and with ASSAY_ENOMEM. */
assay_status conf_engine_find(const char *name, const conf_strings *dirs, char **path, assay_error *err);

/* The part of `name` after the last '/'; of a program its command. Borrowed from `name`. */
const char *conf_engine_label(const char *name);

/* Loads a module for the rest of the process. Members that its table lacks are NULL in *out. Fails with
 * ASSAY_EIO if the module cannot be loaded, ASSAY_EFORMAT if it exports no table of this ABI. */
assay_status conf_engine_open(const char *path, const assay_engine **out, assay_error *err);

#endif
