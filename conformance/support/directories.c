/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/directories.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

assay_status conf_directories_make(const char *path, assay_error *err)
{
    char *dir = strdup(path);
    assay_status rc = dir ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    for (char *slash = dir ? strchr(dir + 1, '/') : NULL; slash && rc == ASSAY_OK;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(dir, 0777) != 0 && errno != EEXIST)
            rc = assay_fail(err, ASSAY_EIO, "%s: %s", dir, strerror(errno));
        *slash = '/';
    }
    free(dir);
    return rc;
}
