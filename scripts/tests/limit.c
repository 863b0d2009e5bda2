/* limit SECONDS COMMAND [ARGUMENT...]: runs a test within a time limit, and ends every process that it
 * started, also one in another session or one that ignores SIGTERM. Fails (99) if the limit is exceeded, or
 * if the test left processes behind, and names test and processes.
 *
 * Every descendant whose parent has ended becomes a child of this process (PR_SET_CHILD_SUBREAPER), so that
 * none escapes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { USAGE = 2, NOT_FOUND = 127, HARD_ERROR = 99 };
#define GRACE 2.0 /* seconds in which processes that were told to end may do so after the test */

static const int SIGNALS[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
enum { N_SIGNALS = sizeof SIGNALS / sizeof *SIGNALS };

static double seconds_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static sigset_t watched(void)
{
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < N_SIGNALS; i++) (void)sigaddset(&set, SIGNALS[i]);
    return set;
}

/* Sleeps until a signal comes, at most until `end`. Returns a signal that ends the test; 0: none. */
static int wait_for_signal(double end)
{
    const sigset_t set = watched();
    const double left = end - seconds_now();
    const struct timespec rest = {.tv_sec = left > 0 ? (time_t)left : 0,
                                  .tv_nsec = left > 0 ? (long)((left - (double)(time_t)left) * 1e9) : 0};
    const int number = sigtimedwait(&set, NULL, &rest);
    return number == SIGCHLD || number < 0 ? 0 : number;
}

/* The parent and the name of a process; false: it has ended. */
static bool read_process(pid_t pid, pid_t *parent, char state[2], char name[64])
{
    char path[64], line[512];
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    const bool read = file && fgets(line, sizeof line, file);
    if (file) (void)fclose(file);
    const char *open = read ? strchr(line, '(') : NULL, *close = read ? strrchr(line, ')') : NULL;
    int of = 0;
    if (!open || !close || sscanf(close + 1, " %1s %d", state, &of) != 2) return false;
    (void)snprintf(name, 64, "%.*s", (int)(close - open - 1), open + 1);
    *parent = of;
    return true;
}

/* Calls visit for each child of this process that has not ended; returns their number. */
static size_t visit_children(void (*visit)(pid_t pid, const char *name))
{
    size_t n = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        char state[2], name[64];
        pid_t parent;
        if (pid <= 0 || !read_process(pid, &parent, state, name)) continue;
        if (parent != getpid() || state[0] == 'Z') continue;
        n++;
        if (visit) visit(pid, name);
    }
    if (proc) (void)closedir(proc);
    return n;
}

static void kill_child(pid_t pid, const char *name)
{
    (void)name;
    (void)kill(pid, SIGKILL);
}

static void print_child(pid_t pid, const char *name)
{
    (void)fprintf(stderr, " %d (%s)", (int)pid, name);
}

/* Reaps what has ended. *status is that of `test`, if it is among them; returns whether it is. */
static bool reap(pid_t test, int *status)
{
    bool ended = false;
    int of;
    for (pid_t pid; (pid = waitpid(-1, &of, WNOHANG)) > 0;) {
        if (pid != test) continue;
        *status = of;
        ended = true;
    }
    return ended;
}

/* Kills all descendants: the children of a killed process become children of this one. */
static void kill_all(pid_t test)
{
    int status;
    const struct timespec rest = {.tv_nsec = 5000000};
    while (visit_children(kill_child) > 0) {
        (void)nanosleep(&rest, NULL);
        (void)reap(test, &status);
    }
}

/* A hard error of the test, for a driver that reads TAP and for one that reads exit statuses. */
static int fail(const char *test, const char *what)
{
    (void)fprintf(stderr, "%s: %s\n", test, what);
    (void)printf("Bail out! %s: %s\n", test, what);
    return HARD_ERROR;
}

/* What a test leaves behind may be ending; what does not end within the grace is a failure. */
static int check_leftovers(pid_t test, const char *name)
{
    int status;
    const double end = seconds_now() + GRACE;
    size_t n;
    while ((n = visit_children(NULL)) > 0 && seconds_now() < end) {
        (void)wait_for_signal(end);
        (void)reap(test, &status);
    }
    if (n == 0) return 0;
    (void)fprintf(stderr, "%s left processes behind:", name);
    (void)visit_children(print_child);
    (void)fputc('\n', stderr);
    kill_all(test);
    return fail(name, "left processes behind");
}

static void run_test(char **command)
{
    const sigset_t set = watched();
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
    (void)execvp(command[0], command);
    (void)fprintf(stderr, "%s: %s\n", command[0], strerror(errno));
    _exit(NOT_FOUND);
}

static int watch_test(pid_t test, const char *name, double seconds)
{
    const double end = seconds_now() + seconds;
    int status = 0, number = 0;
    while (!reap(test, &status)) {
        if (seconds_now() >= end || (number = wait_for_signal(end)) != 0) {
            kill_all(test);
            char what[64];
            (void)snprintf(what, sizeof what, "time limit of %g s exceeded", seconds);
            return number ? 128 + number : fail(name, what);
        }
    }
    const int left = check_leftovers(test, name);
    if (left) return left;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    char *rest = NULL;
    const double seconds = argc > 2 ? strtod(argv[1], &rest) : 0;
    if (argc < 3 || *rest || !(seconds > 0)) {
        (void)fputs("usage: limit SECONDS COMMAND [ARGUMENT...]\n", stderr);
        return USAGE;
    }
    const sigset_t set = watched();
    (void)signal(SIGCHLD, SIG_DFL);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t test = fork();
    if (test == 0) run_test(argv + 2);
    if (test < 0) return fail(argv[2], strerror(errno));
    return watch_test(test, argv[2], seconds);
}
