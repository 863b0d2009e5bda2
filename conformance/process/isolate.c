/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/process/isolate.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/shown.h"
#include "conformance/exec/link.h"
#include "conformance/process/interrupt.h"
#include "conformance/support/clock.h"
#include "conformance/support/orphans.h"

/* The longest sleep: bounds the delay if another thread of the process has received the SIGCHLD. */
#define SLEEP_MAX 1.0

/* Shared with the child, so that the parent knows the stage of a crash. */
typedef struct conf_shared {
    conf_verdict verdict;
    volatile bool complete;
} conf_shared;

size_t conf_mib_default(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    size_t half = pages > 0 && bytes > 0 ? (size_t)pages / 2 * (size_t)bytes >> 20 : 0;
    return half > CONF_MIB_LEAST ? half : CONF_MIB_LEAST;
}

static const char *signal_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},
        {SIGKILL, "SIGKILL"}, {SIGPIPE, "SIGPIPE"}, {SIGSEGV, "SIGSEGV"}, {SIGTERM, "SIGTERM"},
        {SIGTRAP, "SIGTRAP"}, {SIGXCPU, "SIGXCPU"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number) return names[i].name;
    return "a signal";
}

/* The verdict on a child that did not complete its own: a case that cannot even be read is no fault of the
 * engine. */
static void judge_end(const conf_child *child, int status, conf_verdict *v)
{
    bool reads = v->stage == CONF_STAGE_READ;
    if (v->outcome == CONF_FAILED && (v->class == CONF_CLASS_CONTRACT || v->stage == CONF_STAGE_TENSORS))
        return; /* it says why the process ended, or what failed before */
    const char *who = reads ? "the harness" : v->stage == CONF_STAGE_SWEEP ? "the kernel" : "the engine";
    char place[CONF_TEXT_MAX + CONF_TRACE_NAME_MAX + 64];
    conf_class class = child->overdue        ? CONF_CLASS_HANG
                       : WIFSIGNALED(status) ? CONF_CLASS_CRASH
                                             : CONF_CLASS_EXIT;
    v->measured = false;
    shown_clean(v->last_trace, sizeof v->last_trace);
    bool traced = v->stage == CONF_STAGE_TRACED_PREFILL && v->last_trace[0];
    bool told =
        v->stage == CONF_STAGE_VECTOR && v->where[0]; /* the part of the vector that was being replayed */
    const char *manner = conf_verdict_other_manner(v);
    (void)snprintf(place, sizeof place, "%s%s%s%s%s", told ? v->where : conf_stage_name(v->stage),
                   traced ? "; the last tensor it gave is " : "", traced ? v->last_trace : "",
                   manner ? ", manner " : "", manner ? manner : "");
    if (child->overdue)
        conf_verdict_fail(v, class, "%s did not answer within %g s and was killed in %s", who,
                          v->allowed > 0 ? v->allowed : child->limits.seconds, place);
    else if (status == EXEC_CLOSED)
        conf_verdict_fail(v, CONF_CLASS_EXIT, "%s closed its standard output in %s", who, place);
    else if (WIFSIGNALED(status))
        conf_verdict_fail(v, class, "%s was terminated by %s (%s) in %s", who, signal_name(WTERMSIG(status)),
                          strsignal(WTERMSIG(status)), place);
    else
        conf_verdict_fail(v, class, "%s ended the process with exit status %d in %s", who,
                          WEXITSTATUS(status), place);
    if (!reads) return;
    v->outcome = CONF_BROKEN;
    v->class = CONF_CLASS_NONE;
}

/* Blocks SIGCHLD, which only ends a sleep; if it were ignored, the exit status would be lost. */
static void block_sigchld(void)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGCHLD);
    (void)signal(SIGCHLD, SIG_DFL);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
}

void conf_memory_explain(assay_status rc, assay_error *err)
{
    struct rlimit limit;
    if (rc != ASSAY_ENOMEM || getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    const size_t n = strnlen(err->text, sizeof err->text - 1);
    (void)snprintf(err->text + n, sizeof err->text - n, " (within %ju MiB: see --memory)",
                   (uintmax_t)limit.rlim_cur >> 20);
}

/* Runs the child. It leads its own process group and so no longer receives the terminal's ^C; it is killed
 * when its parent ends instead. The terminal must not stop it for an engine's output either (stty tostop).
 */
static void run_child(conf_task_fn *task, const void *context, const conf_child *self, pid_t parent)
{
    sigset_t set;
    (void)setpgid(0, 0);
    orphans_forget();
    orphans_adopt();
    conf_interrupt_forget();
    (void)signal(SIGTTOU, SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGCHLD);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
    (void)dup2(STDERR_FILENO, STDOUT_FILENO); /* keeps an engine's output out of the report */
    conf_memory_limit(self->limits.mib);
    exec_link_contain(self->program);
    task(context, &self->shared->verdict);
    self->shared->complete = true;
    _exit(0);
    conf_interrupt_forget();
}

assay_status conf_child_start(conf_task_fn *task, const void *context, const conf_limits *limits,
                              exec_process *program, conf_child *out, assay_error *err)
{
    conf_child child = {.program = program, .limits = *limits, .started = conf_clock()};
    child.shared =
        mmap(NULL, sizeof *child.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (child.shared == MAP_FAILED)
        return assay_fail(err, ASSAY_EINTERNAL, "no shared memory: %s", strerror(errno));
    (void)fflush(NULL);
    block_sigchld();
    pid_t parent = getpid();
    orphans_adopt();
    child.pid = fork();
    if (child.pid == 0) run_child(task, context, &child, parent);
    if (child.pid < 0) {
        assay_status rc = assay_fail(err, ASSAY_EINTERNAL, "no new process: %s", strerror(errno));
        (void)munmap(child.shared, sizeof *child.shared);
        return rc;
    }
    orphans_add_own(child.pid);
    (void)setpgid(child.pid, child.pid); /* parent and child both call it, since either may run first */
    *out = child;
    return ASSAY_OK;
}

/* Kills the rest of the group, and what has left it. The leader is not reaped yet, so its id cannot have been
 * reused. */
static int kill_and_reap(const conf_child *child)
{
    int status = 0;
    (void)kill(-child->pid, SIGKILL);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) continue;
    orphans_remove_own(child->pid);
    orphans_kill();
    return status;
}

/* A process that supervises others, as that of a textual case does, sets its own deadline. */
static double child_deadline(const conf_child *child)
{
    return fmax(child->started + child->limits.seconds, child->shared->verdict.until);
}

bool conf_child_ended(conf_child *child, conf_verdict *out)
{
    siginfo_t info = {0};
    int rc = waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    bool ended = rc == 0 ? info.si_pid != 0 : errno != EINTR;
    if (!ended && conf_clock() < child_deadline(child)) return false;
    child->overdue = !ended;
    int status = kill_and_reap(child);
    *out = child->shared->verdict;
    if (!child->shared->complete && !child->overdue && child->program && child->program->state->broken)
        status = exec_process_end(child->program); /* its end is what ended the child */
    if (!child->shared->complete) judge_end(child, status, out);
    conf_verdict_apply_checkpoint(out);
    out->seconds = conf_clock() - child->started;
    (void)munmap(child->shared, sizeof *child->shared);
    *child = (conf_child){0};
    return true;
}

void conf_child_wait_any(const conf_child *children, size_t n)
{
    double seconds = SLEEP_MAX, at = conf_clock();
    for (size_t i = 0; i < n; i++)
        if (children[i].pid) seconds = fmin(seconds, child_deadline(&children[i]) - at);
    if (seconds <= 0) return;
    struct timespec rest = {.tv_sec = (time_t)seconds};
    rest.tv_nsec = (long)((seconds - (double)rest.tv_sec) * 1e9);
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGCHLD);
    if (!conf_interrupted()) (void)sigtimedwait(&set, NULL, &rest);
}

void conf_child_kill(conf_child *child)
{
    if (!child->pid) return;
    (void)kill_and_reap(child);
    (void)munmap(child->shared, sizeof *child->shared);
    *child = (conf_child){0};
}

assay_status conf_isolate(conf_task_fn *task, const void *context, const conf_limits *limits,
                          conf_verdict *out, assay_error *err)
{
    conf_child child;
    assay_status rc = conf_child_start(task, context, limits, NULL, &child, err);
    if (rc != ASSAY_OK) return rc;
    while (!conf_child_ended(&child, out) && !conf_interrupted()) conf_child_wait_any(&child, 1);
    if (!child.pid) return ASSAY_OK;
    conf_child_kill(&child);
    *out = (conf_verdict){0};
    conf_verdict_set(out, CONF_BROKEN, "%s", conf_interrupt_reason);
    return ASSAY_OK;
}
