/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/isolate.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/error.h"

/* Shared with the child, so that the stage it died at survives it. */
typedef struct shared_verdict {
    conf_verdict verdict;
    volatile bool complete;
} shared_verdict;

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

static void judge_end(shared_verdict *s, int status)
{
    conf_verdict *v = &s->verdict;
    const char *stage = conf_stage_name(v->stage);
    if (s->complete) return;
    v->measured = false;
    if (WIFSIGNALED(status))
        conf_verdict_set(v, CONF_FAILED, "the engine died of %s (%s) in %s", signal_name(WTERMSIG(status)),
                         strsignal(WTERMSIG(status)), stage);
    else
        conf_verdict_set(v, CONF_FAILED, "the engine ended the process with exit status %d in %s",
                         WEXITSTATUS(status), stage);
}

assay_status conf_isolate(conf_task_fn *task, const void *context, conf_verdict *out, assay_error *err)
{
    shared_verdict *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED) return assay_fail(err, ASSAY_EINTERNAL, "no memory to share: %s", strerror(errno));
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(STDERR_FILENO, STDOUT_FILENO); /* an engine that prints must not spoil the report */
        task(context, &s->verdict);
        s->complete = true;
        _exit(0);
    }
    int reason = errno, status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (child > 0) {
        judge_end(s, status);
        *out = s->verdict;
    }
    (void)munmap(s, sizeof *s);
    return child > 0 ? ASSAY_OK : assay_fail(err, ASSAY_EINTERNAL, "no new process: %s", strerror(reason));
}
