/* assay kernels: sweeps the operations of a kernel library.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/shown.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/kernels.h"
#include "conformance/cli/cmd.h"
#include "conformance/cli/value.h"
#include "conformance/process/interrupt.h"
#include "conformance/report/checks.h"
#include "conformance/report/files.h"
#include "conformance/report/report.h"
#include "conformance/support/text.h"
#include "conformance/sweep/list.h"

enum { SEED = 5, WORD = 64 };

/* A single case runs on threads for longer, so that a race is likely to show again. */
#define ALONE_THREAD_SECONDS 0.5

/* Results of child processes in shared memory; valid also if the child crashes. */
typedef struct shared {
    char name[WORD], version[WORD];
    bool provided[SWEEP_OPS_MAX];
    sweep sweep; /* of the latest operation */
} shared;

typedef struct sweeping {
    const conf_options *options;
    const conf_context *context;
    char *path;       /* of the library */
    const char *word; /* operation or its prefix; NULL: all */
    uint64_t seed;
    bool alone; /* one case only: numbers, shape */
    sweep_numbers numbers;
    size_t shape[SWEEP_DIMS];
    conf_report_files files;
    conf_problems problems;
    conf_checks checks; /* of the page */
    shared *shared;
    size_t n_points, n_passed, n_failed, n_broken, n_not_provided;
} sweeping;

/* Argument of a child process. */
typedef struct task {
    const sweeping *of;
    const sweep_op *op;
} task;

static const assay_kernels *load_kernels(const sweeping *of, conf_verdict *v)
{
    const assay_kernels *k = NULL;
    assay_error err = {0};
    v->stage = CONF_STAGE_LOAD;
    assay_status rc = conf_kernels_open(of->path, &k, &err);
    if (rc == ASSAY_OK) return k;
    conf_verdict_set(v, rc == ASSAY_EUNSUPPORTED ? CONF_SKIPPED : CONF_BROKEN, "%s", err.text);
    return NULL;
}

static void load_task(const void *context, conf_verdict *v)
{
    const task *t = context;
    const assay_kernels *k = load_kernels(t->of, v);
    shared *to = t->of->shared;
    if (!k) return;
    (void)snprintf(to->name, sizeof to->name, "%s", k->name);
    (void)snprintf(to->version, sizeof to->version, "%s", k->version);
    shown_clean(to->name, sizeof to->name);
    shown_clean(to->version, sizeof to->version);
    for (size_t i = 0; i < sweep_n_ops(); i++)
        to->provided[i] = sweep_op_at(i)->is_provided(k, sweep_op_at(i));
}

static sweep *swept; /* for the handler below; set in the child process only */

/* Notes which argument a kernel overran or wrote to. SA_RESETHAND restores the default action, so that
 * the access, when retried, ends the process. */
static void note_access(int number, siginfo_t *info, void *unused)
{
    (void)number;
    (void)unused;
    sweep_note_access(swept, info->si_addr);
}

static void install_fault_handler(sweep *s)
{
    struct sigaction action = {.sa_sigaction = note_access, .sa_flags = (int)(SA_SIGINFO | SA_RESETHAND)};
    swept = s;
    (void)sigaction(SIGSEGV, &action, NULL);
    (void)sigaction(SIGBUS, &action, NULL);
}

static void sweep_task(const void *context, conf_verdict *v)
{
    const task *t = context;
    const sweeping *of = t->of;
    sweep *s = &of->shared->sweep;
    const assay_kernels *k = load_kernels(of, v);
    if (!k) return;
    v->stage = CONF_STAGE_SWEEP;
    const bool is_open = sweep_open(s, t->op->name, k, of->seed);
    s->always_threads = of->alone;
    if (of->alone) s->thread_seconds = ALONE_THREAD_SECONDS;
    install_fault_handler(s);
    if (!is_open) conf_verdict_set(v, CONF_BROKEN, "%s: out of memory", t->op->name);
    else if (!of->alone) sweep_run(s, t->op);
    else if (t->op->allows(s, t->op, of->shape)) t->op->run(s, t->op, of->shape, of->numbers);
    else conf_verdict_set(v, CONF_BROKEN, "%s: no such shape, or too large", t->op->name);
    sweep_close(s);
    if (s->fault[0]) conf_verdict_fail(v, CONF_CLASS_TENSOR, "%s", s->fault);
}

/* Prints the command that reproduces a case. */
static void print_case(FILE *out, const sweeping *of, const char *prefix, const char *what)
{
    const conf_limits *limits = &of->options->limits;
    (void)fputs(prefix, out);
    conf_text_print_quoted(out, of->context->program);
    (void)fputs(" kernels", out);
    if (limits->seconds < CONF_SECONDS_DEFAULT || limits->seconds > CONF_SECONDS_DEFAULT)
        (void)fprintf(out, " --timeout %.12g", limits->seconds);
    if (limits->mib != conf_mib_default()) (void)fprintf(out, " --memory %zu", limits->mib);
    (void)fputs(of->options->arguments[0][0] == '-' ? " -- " : " ", out);
    conf_text_print_quoted(out, of->options->arguments[0]);
    (void)fprintf(out, " %s\n", what);
}

/* The case that failed: the one with the fault, or the last one that began. */
static const char *failing_case(const sweep *s)
{
    return s->fault[0] ? s->fault_at : s->case_at;
}

/* Prints the fault and the command that reproduces it. */
static void print_fault(FILE *out, const char *prefix, const sweeping *of, const conf_verdict *v)
{
    const sweep *s = &of->shared->sweep;
    char repro[32];
    (void)fprintf(out, "%s  %s\n", prefix, v->reason);
    (void)snprintf(repro, sizeof repro, "%s  REPRO: ", prefix);
    if (s->n_cases) print_case(out, of, repro, failing_case(s));
}

/* The command that runs the failing case alone, empty if no case began; NULL if out of memory. The caller
 * frees it. */
static char *repro_of(const sweeping *of)
{
    const sweep *s = &of->shared->sweep;
    char *repro = NULL;
    size_t n;
    FILE *page = open_memstream(&repro, &n);
    if (page && s->n_cases) print_case(page, of, "", failing_case(s));
    if (!page || fclose(page) != 0) return NULL;
    repro[strcspn(repro, "\n")] = '\0';
    return repro;
}

/* Notes a fault for the reports of problems. */
static assay_status note_problem(sweeping *of, const sweep_op *op, const conf_verdict *v, assay_error *err)
{
    char *repro = repro_of(of), *title = NULL;
    assay_status rc = ASSAY_ENOMEM;
    if (repro && asprintf(&title, "%s of %s", op->name, of->options->arguments[0]) >= 0)
        rc = conf_problems_add(
            &of->problems, &(conf_problem){op->name, title, of->path, v->reason, *repro ? repro : NULL, NULL},
            err);
    else (void)assay_fail(err, rc, "out of memory");
    free(repro);
    free(title);
    return rc;
}

static void print_point(sweeping *of, const sweep_op *op, bool provided, const conf_verdict *v)
{
    FILE *out = of->files.at[CONF_REPORT_TAP];
    const sweep *s = &of->shared->sweep;
    if (!out) return;
    if (!provided) {
        (void)fprintf(out, "ok %zu - %s # SKIP not provided\n", of->n_points, op->name);
        return;
    }
    const bool ok = v->outcome == CONF_PASSED;
    char largest[SWEEP_LARGEST_MAX];
    sweep_largest_write(s, op, largest, sizeof largest);
    (void)fprintf(out, "%sok %zu - %s, %zu cases\n", ok ? "" : "not ", of->n_points, op->name, s->n_cases);
    (void)fprintf(out, "# largest: %s\n", largest);
    if (s->worst > 0) {
        (void)fprintf(out, "# %.3g of the bound at worst:", s->worst);
        print_case(out, of, " ", s->worst_at);
    }
    if (!ok) print_fault(out, "# ", of, v);
    (void)fflush(out);
}

static void print_row(const sweeping *of, const sweep_op *op, const conf_verdict *v)
{
    const conf_context *context = of->context;
    const sweep *s = &of->shared->sweep;
    FILE *out = context->out;
    if (conf_report_uses_stdout(&of->files)) return;
    (void)fprintf(out, "%-18s %6zu ", op->name, s->n_cases);
    if (s->worst > 0) (void)fprintf(out, "%9.3g", s->worst);
    else (void)fprintf(out, "%9s", v->outcome == CONF_PASSED ? "exact" : "-");
    char largest[SWEEP_LARGEST_MAX];
    sweep_largest_write(s, op, largest, sizeof largest);
    (void)fprintf(out, " %s%-5s%s %s\n",
                  context->color ? (v->outcome == CONF_PASSED ? "\033[32m" : "\033[31m") : "",
                  v->outcome == CONF_PASSED   ? "pass"
                  : v->outcome == CONF_FAILED ? "FAIL"
                                              : "ERROR",
                  context->color ? "\033[0m" : "", largest);
    if (v->outcome != CONF_PASSED) print_fault(out, "", of, v);
    if (of->options->verbose && s->worst > 0) print_case(out, of, "  worst: ", s->worst_at);
    (void)fflush(out);
}

/* The row of a page. */
static assay_status add_check(sweeping *of, const sweep_op *op, const conf_verdict *v, assay_error *err)
{
    const sweep *s = &of->shared->sweep;
    const bool ok = v->outcome == CONF_PASSED;
    char largest[SWEEP_LARGEST_MAX], *repro = ok ? NULL : repro_of(of);
    sweep_largest_write(s, op, largest, sizeof largest);
    const assay_status rc =
        conf_checks_add(&of->checks, op->name, "", v->outcome, ok || s->worst > 0 ? s->worst : (double)NAN,
                        ok ? largest : v->reason, repro, err);
    free(repro);
    return rc;
}

static assay_status sweep_one(sweeping *of, const sweep_op *op, bool provided, assay_error *err)
{
    conf_verdict v = {0};
    assay_status rc = ASSAY_OK;
    of->n_points++;
    of->shared->sweep = (sweep){0};
    if (provided) rc = conf_isolate(sweep_task, &(task){of, op}, &of->options->limits, &v, err);
    if (rc != ASSAY_OK) return rc;
    if (conf_interrupted()) {
        of->n_points--;
        return ASSAY_OK;
    }
    sweep *s = &of->shared->sweep; /* a kernel may have overwritten it */
    char *const texts[] = {s->fault, s->fault_at, s->case_at, s->worst_at};
    const size_t sizes[] = {sizeof s->fault, sizeof s->fault_at, sizeof s->case_at, sizeof s->worst_at};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        texts[i][sizes[i] - 1] = '\0';
        shown_clean(texts[i], sizes[i]);
    }
    if (v.class == CONF_CLASS_CRASH && s->fault[0]) {
        char how[sizeof v.reason];
        memcpy(how, v.reason, sizeof how);
        conf_verdict_fail(&v, CONF_CLASS_CRASH, "%s; %s", s->fault, how);
    }
    if (!provided) of->n_not_provided++;
    else if (v.outcome == CONF_PASSED) of->n_passed++;
    else if (v.outcome == CONF_FAILED) of->n_failed++;
    else of->n_broken++;
    print_point(of, op, provided, &v);
    if (provided) print_row(of, op, &v);
    if (provided && of->files.at[CONF_REPORT_HTML]) rc = add_check(of, op, &v, err);
    if (rc != ASSAY_OK) return rc;
    return provided && v.outcome != CONF_PASSED ? note_problem(of, op, &v, err) : ASSAY_OK;
}

static bool is_selected(const sweeping *of, size_t op)
{
    return !of->word || sweep_op_is_called(sweep_op_at(op), of->word);
}

static void print_sums(const sweeping *of)
{
    FILE *out = of->context->out;
    if (conf_report_uses_stdout(&of->files)) return;
    const char *before = "\nnot provided:";
    for (size_t i = 0; i < sweep_n_ops(); i++) {
        if (!is_selected(of, i) || of->shared->provided[i]) continue;
        (void)fprintf(out, "%s %s", before, sweep_op_at(i)->name);
        before = ",";
    }
    (void)fputc('\n', out);
    conf_text_print_clean(out, of->shared->name);
    (void)fputc(' ', out);
    conf_text_print_clean(out, of->shared->version);
    (void)fprintf(out, "  %zu passed, %zu failed, %zu not provided\n", of->n_passed,
                  of->n_failed + of->n_broken, of->n_not_provided);
}

static assay_status sweep_all(sweeping *of, assay_error *err)
{
    assay_status rc = conf_report_files_open(of->options, of->context, &of->files, err);
    if (rc == ASSAY_OK && !conf_report_uses_stdout(&of->files))
        (void)fprintf(of->context->out, "%-18s  cases x bound <= 1 largest\n", "");
    for (size_t i = 0; i < sweep_n_ops() && rc == ASSAY_OK && !conf_interrupted(); i++)
        if (is_selected(of, i)) rc = sweep_one(of, sweep_op_at(i), of->shared->provided[i], err);
    if (rc == ASSAY_OK && of->files.at[CONF_REPORT_TAP])
        conf_tap_print_plan(of->files.at[CONF_REPORT_TAP], of->n_points);
    of->problems.command = "kernels";
    of->problems.n_passed = of->n_passed;
    of->problems.n_skipped = of->n_not_provided;
    if (rc == ASSAY_OK) rc = conf_report_problems(&of->files, &of->problems, err);
    conf_problems_free(&of->problems);
    if (rc == ASSAY_OK && of->files.at[CONF_REPORT_HTML])
        conf_checks_print_html(of->files.at[CONF_REPORT_HTML], &of->checks,
                               "Assay: operations of a kernel library", NULL, of->path, NULL);
    conf_checks_free(&of->checks);
    if (rc == ASSAY_OK) print_sums(of);
    assay_error late = {0};
    const assay_status closed = conf_report_files_close(&of->files, &late);
    if (rc == ASSAY_OK && closed != ASSAY_OK) return assay_fail(err, closed, "%s", late.text);
    return rc;
}

/* Loads the library in a child process, too, to find which operations it has. */
static assay_status load_in_child(sweeping *of, bool *nothing, assay_error *err)
{
    conf_verdict v;
    assay_status rc = conf_engine_find(of->options->arguments[0], &of->context->engine_dirs, &of->path, err);
    if (rc == ASSAY_OK) rc = conf_isolate(load_task, &(task){of, NULL}, &of->options->limits, &v, err);
    if (rc != ASSAY_OK) return rc;
    *nothing = v.outcome == CONF_SKIPPED;
    if (*nothing) conf_cmd_print_error(of->context, "%s", v.reason);
    else if (v.outcome != CONF_PASSED)
        return assay_fail(err, ASSAY_EIO, "kernels %s: %s", of->options->arguments[0], v.reason);
    return ASSAY_OK;
}

static assay_status unknown_op(const char *word, assay_error *err)
{
    const char *names[SWEEP_OPS_MAX];
    for (size_t i = 0; i < sweep_n_ops(); i++) names[i] = sweep_op_at(i)->name;
    const char *meant = conf_text_suggest(word, names, sweep_n_ops());
    if (meant) return assay_fail(err, ASSAY_EINVAL, "unknown operation %s: did you mean %s?", word, meant);
    char known[SWEEP_OPS_MAX * 32];
    size_t n = 0;
    for (size_t i = 0; i < sweep_n_ops() && n < sizeof known; i++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i > 0 ? ", " : "", names[i]);
    return assay_fail(err, ASSAY_EINVAL, "unknown operation %s: expected one of %s", word, known);
}

/* LIBRARY [OP [SEED NUMBERS DIM…]] */
static assay_status read_arguments(sweeping *of, assay_error *err)
{
    const conf_options *o = of->options;
    const sweep_op *op = NULL;
    if (o->n_arguments == 0)
        return assay_fail(err, ASSAY_EINVAL, "kernels needs a library: see assay kernels --help");
    if (o->n_arguments == 1) return ASSAY_OK;
    of->word = o->arguments[1];
    for (size_t i = 0; i < sweep_n_ops(); i++)
        if (is_selected(of, i) && (!op || strcmp(sweep_op_at(i)->name, of->word) == 0)) op = sweep_op_at(i);
    if (!op) return unknown_op(of->word, err);
    if (o->n_arguments == 2) return ASSAY_OK;
    of->alone = true;
    if (strcmp(op->name, of->word) != 0 ||
        !sweep_case_read(op, o->arguments + 3, o->n_arguments - 3, &of->numbers, of->shape))
        return assay_fail(
            err, ASSAY_EINVAL,
            "a case of %s is a seed, then integers, random, special, zeros or large, then %zu dimensions",
            op->name, op->n_dims);
    return conf_cli_parse_seed("SEED", o->arguments[2], &of->seed, err);
}

conf_exit conf_cmd_kernels(const conf_options *options, const conf_context *context)
{
    sweeping of = {.options = options, .context = context, .seed = options->has_seed ? options->seed : SEED};
    assay_error err = {0};
    bool nothing = false;
    if (read_arguments(&of, &err) != ASSAY_OK) {
        conf_cmd_print_error(context, "%s", err.text);
        return CONF_EXIT_USAGE;
    }
    void *memory = mmap(NULL, sizeof *of.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assay_status rc = memory != MAP_FAILED
                          ? ASSAY_OK
                          : assay_fail(&err, ASSAY_EINTERNAL, "no shared memory: %s", strerror(errno));
    of.shared = memory;
    if (rc == ASSAY_OK) rc = load_in_child(&of, &nothing, &err);
    if (rc == ASSAY_OK && !nothing) rc = sweep_all(&of, &err);
    if (memory != MAP_FAILED) (void)munmap(memory, sizeof *of.shared);
    free(of.path);
    if (rc != ASSAY_OK) {
        conf_cmd_print_error(context, "%s", err.text);
        return CONF_EXIT_ERROR;
    }
    if (conf_interrupted()) conf_cmd_print_error(context, "interrupted");
    if (!of.n_passed && !of.n_failed && !of.n_broken) {
        conf_cmd_print_error(context, "nothing could be swept");
        return CONF_EXIT_NOTHING;
    }
    return of.n_broken ? CONF_EXIT_ERROR : of.n_failed ? CONF_EXIT_DIVERGES : CONF_EXIT_AGREE;
}
