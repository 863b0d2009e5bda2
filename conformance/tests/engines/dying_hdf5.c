/* Put before libhdf5 (LD_PRELOAD), a library that dies of every file whose name holds "deadly" and does not
 * come back from one that holds "endless".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

int H5Fis_hdf5(const char *path);

/* The first call that a reader makes; what libhdf5 would answer is 1. */
int H5Fis_hdf5(const char *path)
{
    if (strstr(path, "deadly")) {
        (void)signal(SIGSEGV, SIG_DFL);
        (void)raise(SIGSEGV);
    }
    while (strstr(path, "endless")) (void)pause();
    return 1;
}
