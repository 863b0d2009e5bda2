/* assay kernels: sweeps the operations of a kernel library.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/shown.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/kernels.h"
#include "conformance/cli/cmd.h"
#include "conformance/cli/kernels/operations.h"
#include "conformance/cli/value.h"
#include "conformance/expected/read.h"
#include "conformance/process/interrupt.h"
#include "conformance/support/progress.h"
#include "conformance/support/text.h"
#include "conformance/sweep/stored_support.h"

enum { SEED = 5, WORD = 64 };

/* A single case runs on threads for longer, so that a race is likely to show again. */
#define ALONE_THREAD_SECONDS 0.5

/* Results of child processes in shared memory; valid also if the child crashes. */
typedef struct shared {
    char name[WORD], version[WORD];
    bool provided[SWEEP_OPS_MAX];
    bool supported[SWEEP_FORMATS_MAX]; /* by matmul_stored */
    sweep sweep;                       /* of the latest operation */
} shared;

typedef struct sweeping {
    const conf_options *options;
    const conf_context *context;
    conf_engine_column library;
    const char *word; /* operation or its prefix; NULL: all */
    uint64_t seed;
    bool alone; /* one case only: numbers, shape */
    sweep_numbers numbers;
    size_t shape[SWEEP_DIMS];
    conf_operations operations;
    conf_expected expected;
    conf_found_list cases; /* the operations that are selected */
    shared *shared;
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
    assay_status rc = conf_kernels_open(of->library.path, &k, &err);
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
    for (size_t i = 0; k->matmul_stored && i < sweep_n_formats(); i++)
        to->supported[i] = sweep_format_is_supported(k, i);
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

/* Texts in shared memory, which a kernel may have overwritten, as one may print them. */
static void clean_texts(sweep *s)
{
    char *const texts[] = {s->fault, s->fault_at, s->case_at, s->worst_at};
    const size_t sizes[] = {sizeof s->fault, sizeof s->fault_at, sizeof s->case_at, sizeof s->worst_at};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        texts[i][sizes[i] - 1] = '\0';
        shown_clean(texts[i], sizes[i]);
    }
}

/* What the file of --expect makes of a verdict. */
static void apply_expected(sweeping *of, const sweep_op *op, conf_verdict *v)
{
    conf_expected_apply(&of->expected, op->name, "", &of->library, v);
}

static assay_status sweep_one(sweeping *of, const sweep_op *op, bool provided, assay_error *err)
{
    conf_verdict v = {0};
    sweep *s = &of->shared->sweep;
    *s = (sweep){0};
    if (!provided) {
        v.outcome = CONF_SKIPPED;
        apply_expected(of, op, &v);
        return conf_operations_add(&of->operations, &(conf_operation){op, NULL, NULL}, err);
    }
    const assay_status rc = conf_isolate(sweep_task, &(task){of, op}, &of->options->limits, &v, err);
    conf_progress_clear(of->context);
    if (rc != ASSAY_OK || conf_interrupted()) return rc;
    clean_texts(s);
    if (v.class == CONF_CLASS_CRASH && s->fault[0]) {
        char how[sizeof v.reason];
        memcpy(how, v.reason, sizeof how);
        conf_verdict_fail(&v, CONF_CLASS_CRASH, "%s; %s", s->fault, how);
    }
    apply_expected(of, op, &v);
    return conf_operations_add(&of->operations, &(conf_operation){op, s, &v}, err);
}

static bool is_selected(const sweeping *of, size_t op)
{
    return !of->word || sweep_op_is_called(sweep_op_at(op), of->word);
}

static size_t n_selected(const sweeping *of)
{
    size_t n = 0;
    for (size_t i = 0; i < sweep_n_ops(); i++) n += is_selected(of, i);
    return n;
}

/* The formats that a swept matmul_stored does not take. */
static void print_unsupported(const sweeping *of)
{
    const char *before = "\nformats not supported:";
    bool is_swept = false;
    for (size_t i = 0; i < sweep_n_ops(); i++)
        is_swept = is_swept || (is_selected(of, i) && of->shared->provided[i] &&
                                sweep_op_is_called(sweep_op_at(i), "matmul_stored"));
    for (size_t i = 0; is_swept && i < sweep_n_formats(); i++) {
        if (of->shared->supported[i]) continue;
        (void)fprintf(of->context->out, "%s %s", before, sweep_format_name(i));
        before = ",";
    }
}

static void print_sums(const sweeping *of, const char *library)
{
    FILE *out = of->context->out;
    const size_t *n_of = of->operations.n_of;
    if (conf_report_uses_stdout(&of->operations.files)) return;
    const char *before = "\nnot provided:";
    for (size_t i = 0; i < sweep_n_ops(); i++) {
        if (!is_selected(of, i) || of->shared->provided[i]) continue;
        (void)fprintf(out, "%s %s", before, sweep_op_at(i)->name);
        before = ",";
    }
    print_unsupported(of);
    (void)fputc('\n', out);
    conf_text_print_clean(out, library);
    (void)fprintf(out, "  %zu passed, %zu failed, %zu not provided", n_of[CONF_PASSED],
                  n_of[CONF_FAILED] + n_of[CONF_BROKEN], n_of[CONF_SKIPPED]);
    if (n_of[CONF_EXPECTED]) (void)fprintf(out, ", %zu expected", n_of[CONF_EXPECTED]);
    (void)fputc('\n', out);
}

static assay_status sweep_all(sweeping *of, assay_error *err)
{
    char library[sizeof of->shared->name + sizeof of->shared->version];
    assay_status rc = conf_operations_begin(&of->operations, err);
    (void)snprintf(library, sizeof library, "%.*s %.*s", WORD - 1, of->shared->name, WORD - 1,
                   of->shared->version);
    for (size_t i = 0; i < sweep_n_ops() && rc == ASSAY_OK && !conf_interrupted(); i++) {
        if (!is_selected(of, i)) continue;
        if (of->shared->provided[i])
            conf_progress_show(of->context, of->operations.n, n_selected(of), sweep_op_at(i)->name);
        rc = sweep_one(of, sweep_op_at(i), of->shared->provided[i], err);
    }
    if (rc == ASSAY_OK) print_sums(of, library);
    return conf_operations_end(&of->operations, library, rc, err);
}

/* Loads the library in a child process, too, to find which operations it has. */
static assay_status load_in_child(sweeping *of, bool *nothing, assay_error *err)
{
    conf_verdict v;
    assay_status rc =
        conf_engine_column_find(of->options->arguments[0], &of->context->engine_dirs, &of->library, err);
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
    if (o->known)
        return assay_fail(err, ASSAY_EINVAL,
                          "option --expect is of whole operations: leave out SEED NUMBERS DIM");
    if (strcmp(op->name, of->word) != 0 ||
        !sweep_case_read(op, o->arguments + 3, o->n_arguments - 3, &of->numbers, of->shape))
        return assay_fail(
            err, ASSAY_EINVAL,
            "a case of %s is a seed, then integers, random, special, zeros or large, then %zu dimensions",
            op->name, op->n_dims);
    return conf_cli_parse_seed("SEED", o->arguments[2], &of->seed, err);
}

/* Reads the file of --expect, whose cases are operations. */
static assay_status open_expected(sweeping *of, assay_error *err)
{
    assay_error reason;
    if (conf_expected_read(of->options->known, &of->expected, &reason) != ASSAY_OK)
        return assay_fail(err, reason.status, "option --expect: %s", reason.text);
    of->cases.at = calloc(n_selected(of) + 1, sizeof *of->cases.at);
    if (!of->cases.at) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < sweep_n_ops(); i++) {
        if (!is_selected(of, i)) continue;
        const conf_found one = {.id = strdup(sweep_op_at(i)->name), .path = strdup("")};
        of->cases.at[of->cases.n++] = one;
        if (!one.id || !one.path) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    conf_expected_join(&of->expected, of->cases.at, of->cases.n);
    return ASSAY_OK;
}

static assay_status map_shared(sweeping *of, assay_error *err)
{
    void *memory = mmap(NULL, sizeof *of->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return assay_fail(err, ASSAY_EINTERNAL, "no shared memory: %s", strerror(errno));
    of->shared = memory;
    return ASSAY_OK;
}

/* Loads the library and sweeps its operations; none if it has none. */
static assay_status sweep_library(sweeping *of, assay_error *err)
{
    bool nothing = false;
    assay_status rc = open_expected(of, err);
    if (rc == ASSAY_OK) rc = map_shared(of, err);
    if (rc == ASSAY_OK) rc = load_in_child(of, &nothing, err);
    of->operations.options = of->options;
    of->operations.context = of->context;
    of->operations.path = of->library.path;
    if (rc == ASSAY_OK && !nothing) rc = sweep_all(of, err);
    if (rc == ASSAY_OK && !nothing && !conf_interrupted()) conf_expected_remark(&of->expected, of->context);
    return rc;
}

static void close_sweeping(sweeping *of)
{
    if (of->shared) (void)munmap(of->shared, sizeof *of->shared);
    conf_expected_free(&of->expected);
    conf_found_free(&of->cases);
    free(of->library.path);
}

conf_exit conf_cmd_kernels(const conf_options *options, const conf_context *context)
{
    sweeping of = {.options = options, .context = context, .seed = options->has_seed ? options->seed : SEED};
    const size_t *n_of = of.operations.n_of;
    assay_error err = {0};
    if (read_arguments(&of, &err) != ASSAY_OK) {
        conf_cmd_print_error(context, "%s", err.text);
        return CONF_EXIT_USAGE;
    }
    const assay_status rc = sweep_library(&of, &err);
    close_sweeping(&of);
    if (rc != ASSAY_OK) {
        conf_cmd_print_error(context, "%s", err.text);
        return CONF_EXIT_ERROR;
    }
    if (conf_interrupted()) conf_cmd_print_error(context, "interrupted");
    if (!n_of[CONF_PASSED] && !n_of[CONF_FAILED] && !n_of[CONF_BROKEN] && !n_of[CONF_EXPECTED]) {
        conf_cmd_print_error(context, "nothing could be swept");
        return CONF_EXIT_NOTHING;
    }
    if (n_of[CONF_BROKEN]) return CONF_EXIT_ERROR;
    return n_of[CONF_FAILED] ? CONF_EXIT_DIVERGES : CONF_EXIT_AGREE;
}
