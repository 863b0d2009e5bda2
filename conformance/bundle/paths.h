/* Paths of the user's machine, and what stands for them in a text that leaves it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BUNDLE_PATHS_H
#define CONFORMANCE_BUNDLE_PATHS_H

#include <assay/status.h>

#include <stdbool.h>
#include <stdio.h>

#include "conformance/support/strings.h"

/* path.at[i] becomes shown.at[i]. */
typedef struct conf_bundle_paths {
    conf_strings path, shown;
} conf_bundle_paths;

/* Adds a path as it is written, unless it is "./", and, if something is there, as the system resolves it.
 * NULL and paths of one character are passed over. Fails with ASSAY_ENOMEM. */
assay_status conf_bundle_paths_add(conf_bundle_paths *paths, const char *path, const char *shown,
                                   assay_error *err);

/* The same for the directory that holds `path`: what is in it loses it. */
assay_status conf_bundle_paths_add_parent(conf_bundle_paths *paths, const char *path, assay_error *err);

/* A copy of text[n] with every such path replaced, the longest first; the caller frees it. A relative path is
 * only found where a path can begin, and not at all if only absolute ones are replaced (`absolute`): in texts
 * that have names of their own, which may be spelt as a path of the user. NULL if out of memory. *size: of
 * the copy, which is terminated. */
char *conf_bundle_paths_replace(const conf_bundle_paths *paths, bool absolute, const char *text, size_t n,
                                size_t *size);

/* Whether text[n], of any bytes, has one of the absolute paths. */
bool conf_bundle_paths_stand_in(const conf_bundle_paths *paths, const char *text, size_t n);

void conf_bundle_paths_free(conf_bundle_paths *paths);

#endif
