/* What a faulty engine does to its process.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_ENGINES_PROCESS_FAULTS_H
#define CONFORMANCE_TESTS_ENGINES_PROCESS_FAULTS_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Crashes, even under a sanitizer that catches the signal. */
static inline void crash(void)
{
    (void)signal(SIGSEGV, SIG_DFL);
    (void)raise(SIGSEGV);
}

static inline void hang(void)
{
    while (true) (void)pause();
}

/* Leaves a child process behind that prints a line after a second. */
static inline void leave_child(void)
{
    static const char words[] = "left behind\n";
    if (fork() != 0) return;
    (void)sleep(1);
    _exit(write(STDERR_FILENO, words, sizeof words - 1) < 0);
}

/* Waits until the engine of the checkpoint "meet-b" has started, too, or "meet-a" for that one. */
static inline void wait_for_other_engine(const char *dir)
{
    char mine[4096], other[4096];
    (void)snprintf(mine, sizeof mine, "%s/here", dir);
    (void)snprintf(other, sizeof other, "%s/here", dir);
    other[strlen(dir) - 1] = (char)('a' + 'b' - other[strlen(dir) - 1]);
    FILE *f = fopen(mine, "w");
    if (f) (void)fclose(f);
    while (access(other, F_OK) != 0) (void)usleep(1000);
}

/* Whether 1 GiB of address space can be mapped, which the test's limit forbids; touches none of it. */
static inline bool eat_memory(void)
{
    size_t bytes = (size_t)1 << 30;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *a = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (a != MAP_FAILED) (void)munmap(a, bytes);
    return a != MAP_FAILED;
}

#endif
