/* The directory of checkpoints that cases name by their attribute `checkpoint` (--checkpoint-root).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_ROOT_H
#define CONFORMANCE_CASE_ROOT_H

#include <stdio.h>

#include "conformance/case/case.h"

/* The list of checksums of such a checkpoint, in the directory of the case. */
#define CONF_ROOTED_CHECKSUMS "model.crc32"

/* Called once by the program, before it reads a case or starts a thread. dir: borrowed; NULL or empty: there
 * is none. */
void conf_root_set(const char *dir);

/* Sets c->model to the checkpoint `path` below the root, and c->checksums. The user, who names the root, is
 * trusted with its symbolic links; a case is not: fails with ASSAY_EFORMAT if `path` is absolute or has a
 * "..", or if there is no root, with ASSAY_EIO unless it is a directory or a
 * GGUF file. */
assay_status conf_root_find(conf_case *c, const char *path, assay_error *err);

/* The part of a path below the root; borrowed. The path itself if it is not below the root. */
const char *conf_root_part(const char *path);

/* Prints " --checkpoint-root DIR", quoted for a shell, if there is a root. */
void conf_root_print(FILE *out);

#endif
