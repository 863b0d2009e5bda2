/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/exec/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "conformance/support/memory.h"
#include "conformance/support/orphans.h"

#define SECONDS_TO_END 2 /* for a process whose standard input has ended */

static void close_both(int ends[2])
{
    for (size_t i = 0; i < 2; i++)
        if (ends[i] >= 0) (void)close(ends[i]);
}

/* In the child. The signal mask and the limits are those of a program that a shell starts. */
static void run_command(const char *command, size_t mib, bool leads, pid_t parent, int in, int out)
{
    sigset_t none;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    if (leads) (void)setpgid(0, 0);
    orphans_adopt();
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (mib) conf_memory_limit(mib);
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static assay_status make_pipes(int requests[2], int answers[2], assay_error *err)
{
    if (pipe2(requests, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINTERNAL, "no pipe for an engine: %s", strerror(errno));
}

/* The command line and the shared state. */
static assay_status describe(const char *command, exec_process *p, assay_error *err)
{
    void *state = mmap(NULL, sizeof *p->state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *p = (exec_process){.command = strdup(command), .to = -1, .from = -1};
    if (state != MAP_FAILED) p->state = state;
    return p->command && p->state ? ASSAY_OK
                                  : assay_fail(err, ASSAY_ENOMEM, "exec:%s: out of memory", command);
}

assay_status exec_process_start(const char *command, size_t mib, bool leads, exec_process *out,
                                assay_error *err)
{
    exec_process p;
    char *line = NULL;
    int requests[2] = {-1, -1}, answers[2] = {-1, -1};
    assay_status rc = describe(command, &p, err);
    p.leads = leads;
    if (rc == ASSAY_OK) rc = make_pipes(requests, answers, err);
    if (rc == ASSAY_OK && asprintf(&line, "exec %s", command) < 0)
        rc = assay_fail(err, ASSAY_ENOMEM, "exec:%s: out of memory", command);
    if (rc == ASSAY_OK) {
        const pid_t parent = getpid();
        (void)fflush(NULL);
        p.pid = fork();
        if (p.pid == 0) run_command(line, mib, leads, parent, requests[0], answers[1]);
        if (p.pid < 0) rc = assay_fail(err, ASSAY_EINTERNAL, "no new process: %s", strerror(errno));
        else orphans_add_own(p.pid);
        if (p.pid > 0 && leads) (void)setpgid(p.pid, p.pid); /* parent and child both call it */
    }
    free(line);
    if (rc != ASSAY_OK) {
        p.pid = 0;
        close_both(requests);
        close_both(answers);
        (void)exec_process_end(&p);
        return rc;
    }
    (void)close(requests[0]);
    (void)close(answers[1]);
    p.to = requests[1];
    p.from = answers[0];
    *out = p;
    return ASSAY_OK;
}

/* Waits until a process has ended that may end by itself now, up to a time limit; false: it goes on. Does not
 * reap it: its id stays that of its group. */
static bool wait_for_end(pid_t pid)
{
    const struct timespec rest = {.tv_nsec = 5000000};
    for (size_t i = 0; i < SECONDS_TO_END * 200; i++) {
        siginfo_t info = {0};
        const int rc = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
        if (rc == 0 ? info.si_pid != 0 : errno != EINTR) return true;
        (void)nanosleep(&rest, NULL);
    }
    return false;
}

int exec_process_end(exec_process *p)
{
    int status = 0;
    const bool hangs = p->state && p->state->busy && !p->state->broken;
    if (p->to >= 0) (void)close(p->to);
    if (p->from >= 0) (void)close(p->from);
    if (p->pid > 0) {
        const bool goes_on = !hangs && !wait_for_end(p->pid);
        (void)kill(p->leads ? -p->pid : p->pid, SIGKILL);
        while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR) continue;
        orphans_remove_own(p->pid);
        orphans_kill();
        if (goes_on) status = EXEC_CLOSED;
    }
    if (p->state) (void)munmap(p->state, sizeof *p->state);
    free(p->command);
    *p = (exec_process){.to = -1, .from = -1};
    return status;
}
