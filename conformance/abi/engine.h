/* Finds and opens engine modules. Their exported tables are checked before any call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_ENGINE_H
#define CONFORMANCE_ABI_ENGINE_H

#include <assay/engine.h>

#include <stdbool.h>

#include "conformance/support/strings.h"

/* Engines that come with Assay, NULL-terminated: they run if the user names none. */
extern const char *const conf_engine_bundled[];

/* Whether name is one of them. */
bool conf_engine_is_bundled(const char *name);

/* Those of them that can be given kernels. */
extern const char *const conf_engine_replaceable[];
/* Those of them that can be asked to compute in a type. */
extern const char *const conf_engine_computing[];

/* The engines that run if the user names none: the bundled ones that support the request. */
const char *const *conf_engine_usual(bool with_kernels, bool computing);

/* Turns what a user calls an engine into the path of a module: anything with a '/' or ending in ".so" is one;
 * a name stands for <name>.so in the first of `dirs` that has it. The caller frees *path. Fails with
 * ASSAY_EIO, naming what was looked for where. */
assay_status conf_engine_find(const char *name, const conf_strings *dirs, char **path, assay_error *err);

/* What a user called an engine, without the folders: borrowed from `name`. */
const char *conf_engine_label(const char *name);

/* Loads a module for the rest of the process. Members that its table lacks are NULL in *out. ASSAY_EIO if it
 * cannot be loaded, ASSAY_EFORMAT if its table is not one of this ABI. */
assay_status conf_engine_open(const char *path, const assay_engine **out, assay_error *err);

#endif
