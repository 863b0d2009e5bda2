/* The temporary directory of a reduction: the case under test, and links to the files of its checkpoint.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_FOLDER_H
#define CONFORMANCE_REDUCE_FOLDER_H

#include <assay/status.h>

/* Creates a directory below `parent` (NULL: /tmp). The caller removes and frees it with conf_folder_remove,
 * which may be called more than once and with NULL. Fails with ASSAY_EIO or ASSAY_ENOMEM. */
assay_status conf_folder_make(const char *parent, char **dir, assay_error *err);
void conf_folder_remove(char **dir);

/* Creates `dir`/NAME, NAME being conf_model_name(model), so that a case in `dir` has the checkpoint below
 * its own directory: a directory with symbolic links to its files, or links to a GGUF file and its other
 * parts. checksums: the list of its checksums, of which `dir`/NAME.crc32 becomes a link if it exists. The
 * same failures. */
assay_status conf_folder_link(const char *dir, const char *model, const char *checksums, assay_error *err);

/* Creates symbolic links in the directory `to` to the files of the checkpoint `model`, but for its
 * config.json and what has its tensors: files in safetensors and their index. The same failures. */
assay_status conf_folder_link_others(const char *to, const char *model, assay_error *err);

#endif
