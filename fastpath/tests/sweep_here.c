/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tests/sweep_here.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sweep s;

static void print_text(const char *text)
{
    if (write(STDOUT_FILENO, text, strlen(text)) < 0) _exit(EXIT_FAILURE);
}

/* A kernel has accessed memory outside its arguments. */
static void report_violation(int number, siginfo_t *info, void *unused)
{
    (void)unused;
    if (number == SIGSEGV || number == SIGBUS) sweep_note_access(&s, info->si_addr);
    print_text("Bail out! the kernel crashed in ");
    print_text(s.case_at);
    print_text(s.fault[0] ? ": " : "");
    print_text(s.fault);
    print_text("\n");
    _exit(EXIT_FAILURE);
}

static bool open_sweep(const sweep_op *op, const assay_kernels *kernels, uint64_t seed)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    const struct sigaction action = {.sa_sigaction = report_violation, .sa_flags = SA_SIGINFO};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) (void)sigaction(signals[i], &action, NULL);
    return sweep_open(&s, op->name, kernels, seed);
}

/* Prints the result as one test point; returns whether it failed. */
static size_t close_sweep(const sweep_op *op, const char *set, bool ok, size_t *n_points)
{
    ok = ok && !s.fault[0];
    printf("%s %zu - %s, %s, %zu cases\n", ok ? "ok" : "not ok", ++*n_points, op->name, set, s.n_cases);
    char largest[SWEEP_LARGEST_MAX];
    sweep_largest_write(&s, op, largest, sizeof largest);
    printf("# largest: %s\n", largest);
    if (s.worst > 0) printf("# %.3g of the bound at worst: %s\n", s.worst, s.worst_at);
    if (s.fault[0]) printf("# %s: %s\n", s.fault_at, s.fault);
    (void)fflush(stdout);
    sweep_close(&s);
    return !ok;
}

static bool is_called(const sweep_op *op, const char *const *words)
{
    for (; words && *words; words++)
        if (sweep_op_is_called(op, *words)) return true;
    return !words;
}

size_t sweep_here(const assay_kernels *kernels, const char *set, const char *const *words, uint64_t seed,
                  size_t *n_points)
{
    size_t n_failed = 0;
    for (size_t i = 0; i < sweep_n_ops(); i++) {
        const sweep_op *op = sweep_op_at(i);
        if (!is_called(op, words) || !op->is_provided(kernels, op)) continue;
        const bool ok = open_sweep(op, kernels, seed);
        if (ok) sweep_run(&s, op);
        n_failed += close_sweep(op, set, ok, n_points);
    }
    return n_failed;
}

size_t sweep_here_case(const assay_kernels *kernels, const char *set, const char *name, uint64_t seed,
                       sweep_numbers numbers, const size_t *shape, size_t *n_points)
{
    size_t i = 0;
    while (strcmp(sweep_op_at(i)->name, name) != 0) i++;
    const sweep_op *op = sweep_op_at(i);
    const bool ok = open_sweep(op, kernels, seed) && op->allows(&s, op, shape);
    s.always_threads = true;
    if (ok) op->run(&s, op, shape, numbers);
    return close_sweep(op, set, ok, n_points);
}
