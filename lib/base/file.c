/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
    /* O_NONBLOCK: opening a FIFO without a writer would block. It has no effect on a regular file. */
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

static assay_status read_bytes(const char *path, int fd, char *bytes, size_t n, assay_error *err)
{
    for (size_t done = 0; done < n;) {
        const ssize_t got = read(fd, bytes + done, n - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
        if (got == 0)
            return assay_fail(err, ASSAY_EIO, "%s: found %zu bytes, expected the %zu of its size", path, done,
                              n);
        done += (size_t)got;
    }
    return ASSAY_OK;
}

assay_status file_read(const char *path, size_t most, char **out, size_t *n, assay_error *err)
{
    int fd = -1;
    size_t size = 0;
    assay_status rc = file_open(path, &fd, &size, err);
    if (rc != ASSAY_OK) return rc;
    char *bytes = NULL;
    if (size > most)
        rc = assay_fail(err, ASSAY_EUNSUPPORTED, "%s: found %zu bytes, expected at most %zu", path, size,
                        most);
    else if (!(bytes = malloc(size + 1))) rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    else rc = read_bytes(path, fd, bytes, size, err);
    (void)close(fd);
    if (rc != ASSAY_OK) {
        free(bytes);
        return rc;
    }
    *out = bytes;
    *n = size;
    return ASSAY_OK;
}

assay_status file_map(const char *path, const unsigned char **out, size_t *n, assay_error *err)
{
    int fd = -1;
    size_t size = 0;
    const assay_status rc = file_open(path, &fd, &size, err);
    if (rc != ASSAY_OK) return rc;
    /* An empty file cannot be mapped. */
    void *bytes = size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    if (bytes && bytes != MAP_FAILED) (void)madvise(bytes, size, MADV_HUGEPAGE);
    const int reason = errno;
    (void)close(fd);
    if (bytes == MAP_FAILED && reason == ENOMEM)
        return assay_fail(err, ASSAY_ENOMEM, "%s: no address space for its %zu bytes (see ulimit -v)", path,
                          size);
    if (bytes == MAP_FAILED) return assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(reason));
    *out = bytes;
    *n = size;
    return ASSAY_OK;
}

void file_unmap(const unsigned char *bytes, size_t n)
{
    if (bytes) (void)munmap((void *)bytes, n);
}
