/* Sweeps every variant of every operation, and prints TAP; or one case again, from a line that it printed.
 *
 *     sweep [SEED]
 *     sweep OP ISA SEED NUMBERS DIM…
 *
 * What this processor does not run is skipped by name; that is an error for the sets that ASSAY_REQUIRE_ISA
 * names, separated by commas.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fastpath/tests/sweep_parts.h"

enum { SEED = 5, STATUS_DIFFERS = 1, STATUS_USAGE = 2, STATUS_BROKEN = 99 };

static const struct {
    const sweep_op *ops;
    size_t n_ops;
} tables[] = {
    {SWEEP_MATMUL, sizeof SWEEP_MATMUL / sizeof *SWEEP_MATMUL},
    {SWEEP_ATTENTION, sizeof SWEEP_ATTENTION / sizeof *SWEEP_ATTENTION},
    {SWEEP_GATE, sizeof SWEEP_GATE / sizeof *SWEEP_GATE},
    {SWEEP_NORM, sizeof SWEEP_NORM / sizeof *SWEEP_NORM},
    {SWEEP_ROPE, sizeof SWEEP_ROPE / sizeof *SWEEP_ROPE},
    {SWEEP_ROUTER, sizeof SWEEP_ROUTER / sizeof *SWEEP_ROUTER},
};

enum { N_TABLES = sizeof tables / sizeof *tables };

static sweep s;

static void say(const char *text)
{
    if (write(STDOUT_FILENO, text, strlen(text)) < 0) _exit(STATUS_BROKEN);
}

/* A kernel touched what is not its own. */
static void die(int signal)
{
    (void)signal;
    say("Bail out! the kernel died\n# REPRO: ");
    say(s.case_at);
    say("\n");
    _exit(STATUS_DIFFERS);
}

static bool is_required(fp_isa isa)
{
    const char *at = getenv("ASSAY_REQUIRE_ISA"), *name = fp_isa_name(isa);
    size_t n = strlen(name);
    while (at && *at) {
        size_t length = strcspn(at, ",");
        if (length == n && memcmp(at, name, n) == 0) return true;
        at += length + (at[length] == ',');
    }
    return false;
}

static bool is_built(const char *name, size_t n)
{
    for (size_t t = 0; t < N_TABLES; t++)
        for (size_t v = 0; v < tables[t].ops->n_variants(); v++) {
            const char *found = fp_isa_name(tables[t].ops->isa(v));
            if (strlen(found) == n && memcmp(found, name, n) == 0) return true;
        }
    return false;
}

/* Whether there are kernels for every set that is required, whatever this processor runs. */
static bool are_required_built(size_t point)
{
    const char *at = getenv("ASSAY_REQUIRE_ISA");
    bool ok = true;
    while (at && *at) {
        size_t n = strcspn(at, ",");
        if (!is_built(at, n)) {
            printf("# ASSAY_REQUIRE_ISA: this build has no kernels for \"%.*s\"\n", (int)n, at);
            ok = false;
        }
        at += n + (at[n] == ',');
    }
    printf("%s %zu - there are kernels for every set that is required\n", ok ? "ok" : "not ok", point);
    return ok;
}

static bool sweep_variant(const sweep_op *op, size_t variant, uint64_t seed, size_t point)
{
    fp_isa isa = op->isa(variant);
    if (!fp_isa_runs_here(isa)) {
        bool ok = !is_required(isa);
        printf("%s %zu - %s__%s%s\n", ok ? "ok" : "not ok", point, op->name, fp_isa_name(isa),
               ok ? " # SKIP this processor does not run it"
                  : ": required, and this processor does not run it");
        return ok;
    }
    bool ok = sweep_open(&s, op->name, fp_isa_name(isa), seed);
    if (ok) op->shapes(&s, op, variant);
    ok = ok && !s.fault[0];
    printf("%s %zu - %s__%s, %zu cases\n", ok ? "ok" : "not ok", point, op->name, s.isa, s.n_cases);
    if (s.worst_at[0]) printf("# worst: %.3f of the bound: %s\n", s.worst, s.worst_at);
    for (char *line = strtok(s.fault, "\n"); line; line = strtok(NULL, "\n")) printf("# %s\n", line);
    if (!ok && !s.n_cases) printf("# out of memory\n");
    (void)fflush(stdout);
    sweep_close(&s);
    return ok;
}

static int sweep_all(uint64_t seed)
{
    size_t n = 0, point = 0, n_failed = 0;
    for (size_t t = 0; t < N_TABLES; t++)
        for (size_t i = 0; i < tables[t].n_ops; i++) n += tables[t].ops[i].n_variants();
    printf("1..%zu\n", n + 1);
    for (size_t t = 0; t < N_TABLES; t++)
        for (size_t i = 0; i < tables[t].n_ops; i++)
            for (size_t v = 0; v < tables[t].ops[i].n_variants(); v++)
                n_failed += !sweep_variant(&tables[t].ops[i], v, seed, ++point);
    n_failed += !are_required_built(++point);
    return n_failed ? STATUS_DIFFERS : EXIT_SUCCESS;
}

static const sweep_op *find(const char *op, const char *isa, size_t *variant)
{
    for (size_t t = 0; t < N_TABLES; t++)
        for (size_t i = 0; i < tables[t].n_ops; i++) {
            const sweep_op *found = &tables[t].ops[i];
            for (size_t v = 0; v < found->n_variants(); v++)
                if (strcmp(op, found->name) == 0 && strcmp(isa, fp_isa_name(found->isa(v))) == 0) {
                    *variant = v;
                    return found;
                }
        }
    return NULL;
}

/* argv: OP ISA SEED NUMBERS DIM…, n of them. */
static int sweep_one(char **argv, size_t n)
{
    size_t variant = 0, shape[SWEEP_DIMS] = {0}, numbers = 0;
    const sweep_op *op = find(argv[0], argv[1], &variant);
    while (numbers < SWEEP_N_NUMBERS && strcmp(argv[3], sweep_numbers_name((sweep_numbers)numbers)) != 0)
        numbers++;
    if (!op || numbers == SWEEP_N_NUMBERS || n != op->n_dims + 4 || !fp_isa_runs_here(op->isa(variant))) {
        (void)fprintf(stderr, "sweep: no such operation, set (here) or numbers, or not so many dimensions\n");
        return STATUS_USAGE;
    }
    for (size_t i = 0; i < op->n_dims; i++) shape[i] = strtoul(argv[i + 4], NULL, 10);
    if (!sweep_open(&s, op->name, argv[1], strtoull(argv[2], NULL, 10))) return STATUS_BROKEN;
    op->run(&s, op, variant, shape, (sweep_numbers)numbers);
    printf("%s\n", s.fault[0] ? s.fault : "agrees");
    if (s.worst_at[0]) printf("%.3f of the bound\n", s.worst);
    int status = s.fault[0] ? STATUS_DIFFERS : EXIT_SUCCESS;
    sweep_close(&s);
    return status;
}

int main(int argc, char **argv)
{
    if (signal(SIGSEGV, die) == SIG_ERR || signal(SIGILL, die) == SIG_ERR || signal(SIGFPE, die) == SIG_ERR)
        return STATUS_BROKEN;
    if (argc <= 2) return sweep_all(argc == 2 ? strtoull(argv[1], NULL, 10) : SEED);
    if (argc >= 5) return sweep_one(argv + 1, (size_t)argc - 1);
    (void)fprintf(stderr, "usage: sweep [SEED]\n       sweep OP ISA SEED NUMBERS DIM…\n");
    return STATUS_USAGE;
}
