/* The part of a checkpoint that a bundle holds.
 *
 * It is the files from which engines read weights, settings and texts (support/checksums.h), and no others. A
 * case of kind tokenizer needs no weights, but a GGUF file whole. If the rest is too large, a case whose
 * prompts are token ids goes without the tokenizer and the templates, and if that does not suffice, without
 * the weights: then the bundle cannot be run before they are put there, and the checksums tell whether they
 * are the right ones. No file is changed but for config.json's _name_or_path, which is a path of whoever
 * saved it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BUNDLE_CHECKPOINT_H
#define CONFORMANCE_BUNDLE_CHECKPOINT_H

#include "conformance/bundle/files.h"
#include "conformance/bundle/paths.h"
#include "conformance/bundle/subject.h"

/* Copies that part, and writes its checksums. *complete: no weights that the case needs are missing. traces:
 * gets the names of files in which `paths` stand. Fails with ASSAY_EIO, ASSAY_ENOMEM. */
assay_status conf_bundle_checkpoint(conf_bundle_files *files, const conf_bundle_subject *s,
                                    const conf_bundle_paths *paths, bool *complete, conf_strings *traces,
                                    assay_error *err);

/* Copies a file into the bundle as `name`, and adds `name` to traces if one of `paths` stands in it. */
assay_status conf_bundle_copy(conf_bundle_files *files, const char *path, const char *name,
                              const conf_bundle_paths *paths, conf_strings *traces, assay_error *err);

#endif
