/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/orphans.h"

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

#include "base/grow.h"

#define ROUNDS_MAX 200
#define ROUND_REST 5000000L /* nanoseconds */

static struct {
    pid_t *pid; /* [n] */
    size_t n;
} own;

void orphans_adopt(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void orphans_add_own(pid_t pid)
{
    pid_t *grown = grow_by_one(own.pid, own.n, sizeof *grown);
    if (!grown) abort();
    own.pid = grown;
    own.pid[own.n++] = pid;
}

static size_t find_own(pid_t pid)
{
    size_t i = 0;
    while (i < own.n && own.pid[i] != pid) i++;
    return i;
}

void orphans_remove_own(pid_t pid)
{
    const size_t i = find_own(pid);
    if (i < own.n) own.pid[i] = own.pid[--own.n];
}

void orphans_forget(void)
{
    free(own.pid);
    own.pid = NULL;
    own.n = 0;
}

static size_t kill_one(pid_t pid)
{
    if (find_own(pid) < own.n) return 0;
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, WNOHANG);
    return 1;
}

/* Kills the children of one thread that are orphans. Returns their number. */
static size_t kill_children_of(const char *thread)
{
    char path[300];
    int pid;
    size_t n = 0;
    (void)snprintf(path, sizeof path, "/proc/self/task/%s/children", thread);
    FILE *file = fopen(path, "r");
    while (file && fscanf(file, "%d", &pid) == 1) n += kill_one(pid);
    if (file) (void)fclose(file);
    return n;
}

static pid_t parent_of(const char *process)
{
    char path[300], line[512];
    int parent = 0;
    (void)snprintf(path, sizeof path, "/proc/%s/stat", process);
    FILE *file = fopen(path, "r");
    const char *name_end = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    if (!name_end || sscanf(name_end + 1, " %*c %d", &parent) != 1) parent = 0;
    if (file) (void)fclose(file);
    return parent;
}

/* Calls `of` with each entry of a directory whose name is a number. Returns the sum. */
static size_t sum_numbers(const char *directory, size_t (*of)(const char *name))
{
    size_t sum = 0;
    DIR *entries = opendir(directory);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (strspn(entry->d_name, "0123456789") == strlen(entry->d_name)) sum += of(entry->d_name);
    if (entries) (void)closedir(entries);
    return sum;
}

static size_t kill_if_child(const char *process)
{
    return parent_of(process) == getpid() ? kill_one((pid_t)strtol(process, NULL, 10)) : 0;
}

/* The file `children` may be missing in a kernel; the list of all processes is 100 times slower. */
static size_t kill_round(void)
{
    if (access("/proc/thread-self/children", R_OK) == 0)
        return sum_numbers("/proc/self/task", kill_children_of);
    return sum_numbers("/proc", kill_if_child);
}

void orphans_kill(void)
{
    const struct timespec rest = {.tv_nsec = ROUND_REST};
    for (size_t i = 0; i < ROUNDS_MAX && kill_round() > 0; i++) (void)nanosleep(&rest, NULL);
}
