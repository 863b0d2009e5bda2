/* SPDX-License-Identifier: Apache-2.0 */
#include "model/file.h"

#include "model/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_name(mode_t mode)
{
    if (S_ISDIR(mode)) return "a directory";
    if (S_ISFIFO(mode)) return "a FIFO";
    return "a device or socket";
}

assay_status file_open(const char *path, int *fd, size_t *size, assay_error *err)
{
    /* O_NONBLOCK: opening a FIFO that has no writer would wait. A regular file does not heed it. */
    const int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (opened < 0) return assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));

    struct stat info;
    assay_status rc = ASSAY_OK;
    if (fstat(opened, &info) != 0) rc = assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
    else if (!S_ISREG(info.st_mode))
        rc = assay_fail(err, ASSAY_EIO, "%s: found %s, expected a regular file", path,
                        kind_name(info.st_mode));
    else if ((uintmax_t)info.st_size > SIZE_MAX)
        rc = assay_fail(err, ASSAY_EIO, "%s: %jd bytes do not fit into the address space", path,
                        (intmax_t)info.st_size);
    if (rc != ASSAY_OK) {
        (void)close(opened);
        return rc;
    }
    *fd = opened;
    *size = (size_t)info.st_size;
    return ASSAY_OK;
}
