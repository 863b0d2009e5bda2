/* What the stateful engine does with SIGSEGV. One thread at a time may call these functions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_ENGINES_SIGNALS_H
#define CONFORMANCE_TESTS_ENGINES_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
    volatile char *page;
    size_t n_bytes;
} lazy_page;

/* Makes the page accessible on its first access. */
static void on_access(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    (void)mprotect((void *)(uintptr_t)lazy_page.page, lazy_page.n_bytes, PROT_READ | PROT_WRITE);
}

/* Maps an inaccessible page, and installs a handler that makes it accessible. */
static inline bool signals_open(void)
{
    struct sigaction action = {.sa_sigaction = on_access, .sa_flags = SA_SIGINFO};
    lazy_page.n_bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *map = mmap(NULL, lazy_page.n_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) return false;
    lazy_page.page = map;
    (void)sigemptyset(&action.sa_mask);
    return sigaction(SIGSEGV, &action, NULL) == 0;
}

/* Accesses the page that signals_open has mapped, which is inaccessible before. */
static inline void signals_access(void)
{
    (void)mprotect((void *)(uintptr_t)lazy_page.page, lazy_page.n_bytes, PROT_NONE);
    *lazy_page.page = 1;
}

#endif
