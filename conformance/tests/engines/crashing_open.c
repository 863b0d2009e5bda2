/* Preloaded before the C library (LD_PRELOAD): opening a file whose name contains "crashing.h5" kills
 * the process, and opening "endless.h5" does not return. It simulates a defective reader.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static int open_file(const char *path, int flags, int mode)
{
    if (strstr(path, "crashing.h5")) {
        (void)signal(SIGSEGV, SIG_DFL);
        (void)raise(SIGSEGV);
    }
    while (strstr(path, "endless.h5")) (void)pause();
    return openat(AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    return open_file(path, flags, mode);
}

int open64(const char *path, int flags, ...);
int open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    return open_file(path, flags, mode);
}
