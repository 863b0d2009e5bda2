/* Prints the table of faults, one per line, in fields separated by tabs: name, cases that catch it,
 * case that still passes, description, what catches it (cases, vectors, schedules), part of the
 * message, manner in which the case still passes, types in which the fault is caught.
 *
 *     list FIXTURES    the directory of the cases, in which "*" of a name is looked for
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/faults/fault.h"
#include "model/loader.h"

/* Whether the fault changes the checkpoint of the case at `path`. */
static bool applies(const fault *f, const char *path)
{
    if (f->place == FAULT_NOWHERE) return true;
    char dir[PATH_MAX];
    (void)snprintf(dir, sizeof dir, "%.*s/model", (int)(strrchr(path, '/') - path), path);
    plan *p = NULL;
    assay_error err;
    if (plan_open(dir, &p, &err) != ASSAY_OK) {
        fprintf(stderr, "list: %s\n", err.text);
        exit(99);
    }
    const bool changes = fault_changes_part(f, p);
    plan_free(p);
    return changes;
}

/* Prints the cases of `fixtures` whose names fit the pattern [n]. */
static void print_found(const fault *f, const char *fixtures, const char *pattern, size_t n)
{
    char path[PATH_MAX];
    glob_t found = {0};
    (void)snprintf(path, sizeof path, "%s/%.*s.h5", fixtures, (int)n, pattern);
    if (glob(path, 0, NULL, &found) != 0) {
        fprintf(stderr, "list: %s: found no case %s\n", f->name, path);
        exit(99);
    }
    const size_t start = strlen(fixtures) + 1;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *name = found.gl_pathv[i] + start;
        if (applies(f, found.gl_pathv[i])) printf("%.*s ", (int)(strlen(name) - strlen(".h5")), name);
    }
    globfree(&found);
}

static void print_caught(const fault *f, const char *fixtures)
{
    size_t n;
    for (const char *name = f->caught; *name; name += n) {
        n = strcspn(name, " ");
        if (memchr(name, '*', n)) print_found(f, fixtures, name, n);
        else printf("%.*s ", (int)n, name);
        n += strspn(name + n, " ");
    }
}

int main(int argc, char **argv)
{
    static const char *const WITNESSES[] = {"cases", "vectors", "schedules"};
    if (argc != 2) {
        fprintf(stderr, "usage: list FIXTURES\n");
        return 99;
    }
    const fault *f;
    for (size_t i = 0; (f = fault_at(i)); i++) {
        printf("%s\t", f->name);
        print_caught(f, argv[1]);
        printf("\t%s\t%s\t%s\t%s\t%s\t%s\n", f->spared, f->breaks, WITNESSES[f->witness],
               f->said ? f->said : "-", f->spared_manner ? f->spared_manner : "-",
               f->computes ? f->computes : "-");
    }
    return 0;
}
