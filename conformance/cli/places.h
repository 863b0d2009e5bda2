/* Finds the bundled engines and fixtures. Linked into the program only, since the paths are compiled
 * in.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CLI_PLACES_H
#define CONFORMANCE_CLI_PLACES_H

#include <stdbool.h>

#include "conformance/support/strings.h"

/* engine_dirs: the directories of user_path (separated by colons; NULL: none), then those of the
 * bundled engines. fixtures: the directory of the bundled cases. A program in its build tree uses that
 * tree and its source tree only. An installed program uses <its directory>/../lib/assay and
 * ../share/assay, so that an installation can be moved, then the directories given to configure, and
 * never a build tree. False if out of memory. The caller frees both results, also on failure. */
bool conf_places_find(const char *user_path, conf_strings *engine_dirs, char **fixtures);

/* How to call this program in a command that is printed: "assay" if a shell finds the same file under that
 * name in `path` (separated by colons; NULL: none); else argv0, as the user called it. Borrowed. */
const char *conf_places_program(const char *argv0, const char *path);

#endif
