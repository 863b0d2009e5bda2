/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define NAME_SHOWN_MAX 200 /* bytes of the name in that of the temporary file: NAME_MAX is 255 */

/* The path at which a regular file is to be created or replaced; NULL: what is there is written in place. The
 * caller frees it. */
static char *find_regular(const char *path)
{
    struct stat s;
    if (lstat(path, &s) != 0) return strdup(path);
    if (S_ISREG(s.st_mode)) return strdup(path);
    char *target = S_ISLNK(s.st_mode) ? realpath(path, NULL) : NULL;
    if (target && stat(target, &s) == 0 && S_ISREG(s.st_mode)) return target;
    free(target);
    return NULL;
}

static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Like fopen(path, "w"): the mode is what umask leaves of 0666. */
static FILE *open_unfinished(char *name)
{
    const mode_t mask = umask(0);
    (void)umask(mask);
    const int fd = mkstemp(name);
    FILE *file = fd >= 0 && fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
    if (file || fd < 0) return file;
    const int error = errno;
    (void)close(fd);
    (void)unlink(name);
    errno = error;
    return NULL;
}

static void free_names(conf_output *output)
{
    free(output->path);
    free(output->unfinished);
    *output = (conf_output){0};
}

assay_status conf_output_open(const char *path, conf_output *out, assay_error *err)
{
    conf_output o = {.path = find_regular(path)};
    if (!o.path) {
        o.path = strdup(path);
        o.file = o.path ? fopen(path, "w") : NULL;
    } else {
        const size_t n = directory_length(o.path);
        if (asprintf(&o.unfinished, "%.*s.%.*s.XXXXXX", (int)n, o.path, NAME_SHOWN_MAX, o.path + n) < 0)
            o.unfinished = NULL;
        o.file = o.unfinished ? open_unfinished(o.unfinished) : NULL;
        if (o.file) (void)unlink(o.path);
    }
    const assay_status rc = o.file ? ASSAY_OK : assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
    if (rc == ASSAY_OK) *out = o;
    else free_names(&o);
    return rc;
}

/* Makes the new name of a file durable; a file system that cannot do so is no error. */
static void sync_directory(const char *path)
{
    char *directory = strndup(path, directory_length(path));
    const int fd = directory ? open(directory[0] ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    free(directory);
}

/* Writes what is buffered; *empty: nothing was written. 0, or the error. */
static int finish_file(FILE *file, bool is_regular, bool *empty)
{
    struct stat s = {0};
    int error = fflush(file) != 0 ? errno : ferror(file) ? EIO : 0;
    if (!error && is_regular && (fsync(fileno(file)) != 0 || fstat(fileno(file), &s) != 0)) error = errno;
    if (fclose(file) != 0 && !error) error = errno;
    *empty = is_regular && s.st_size == 0;
    return error;
}

assay_status conf_output_close(conf_output *output, assay_error *err)
{
    if (!output->file) return ASSAY_OK;
    bool empty;
    int error = finish_file(output->file, output->unfinished != NULL, &empty);
    if (!error && output->unfinished && !empty) {
        error = rename(output->unfinished, output->path) != 0 ? errno : 0;
        if (!error) sync_directory(output->path);
    }
    if (output->unfinished && (error || empty)) (void)unlink(output->unfinished);
    const assay_status rc =
        error ? assay_fail(err, ASSAY_EIO, "%s: %s", output->path, strerror(error)) : ASSAY_OK;
    free_names(output);
    return rc;
}
