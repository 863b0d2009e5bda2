/* Where the program finds the engines and the fixtures that belong to it. Built into the program alone, since
 * the paths are compiled in.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CLI_PLACES_H
#define CONFORMANCE_CLI_PLACES_H

#include <stdbool.h>

#include "conformance/support/strings.h"

/* engine_dirs: the directories of user_path (separated by colons; NULL: none), then those of the bundled
 * engines. fixtures: the bundled cases. A program in its build tree uses that tree and its sources, and
 * nothing that is installed; an installed one uses <its directory>/../lib/assay and ../share/assay, so that
 * an installation can be moved, and then the directories that configure was given, and never a build tree.
 * False where memory is short. The caller frees both, also on failure. */
bool conf_places_find(const char *user_path, conf_strings *engine_dirs, char **fixtures);

#endif
