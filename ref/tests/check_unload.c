/* A module with streams whose threads still work can be unloaded, and its process can fork.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/stream.h>

#include "base/tests/support.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_TIMES = 20, N_STREAMS = 3, SHORT = 10, LONG = 2000000 };

static const assay_device CPU = {ASSAY_CPU, 0};

static void *module;
static const assay_streams *streams;

static void load(void)
{
    char path[4096];
    const char *top = getenv("top_builddir");
    (void)snprintf(path, sizeof path, "%s/ref/ref64.so", top ? top : ".");
    module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(module != NULL, "%s", dlerror());
    assay_streams_fn *table;
    *(void **)&table = dlsym(module, ASSAY_STREAMS_SYMBOL);
    ck_assert(table != NULL);
    streams = table();
}

/* Starts arrays of n elements, each on a stream of its own, without waiting. */
static void start(size_t n, assay_array **arrays)
{
    for (size_t i = 0; i < N_STREAMS; i++) {
        assay_stream s;
        ck_assert_int_eq(streams->new_stream(CPU, ASSAY_STREAM_OWNED, &s, NULL), ASSAY_OK);
        ck_assert_int_eq(streams->make(ASSAY_ARRAY_ARANGE, n, NULL, &s, &arrays[i], NULL), ASSAY_OK);
        ck_assert_int_eq(streams->eval(&arrays[i], 1, true, NULL), ASSAY_OK);
    }
}

static void release(assay_array **arrays)
{
    for (size_t i = 0; i < N_STREAMS; i++) streams->array_free(arrays[i]);
}

/* Waits until the threads are idle. */
static void wait_until_idle(assay_array **arrays)
{
    float x[SHORT];
    size_t n;
    for (size_t i = 0; i < N_STREAMS; i++)
        ck_assert_int_eq(streams->read(arrays[i], x, SHORT, &n, NULL), ASSAY_OK);
    (void)usleep(10000);
}

START_TEST(a_module_is_unloaded_while_its_threads_are_idle)
{
    for (int i = 0; i < N_TIMES; i++) {
        assay_array *arrays[N_STREAMS];
        load();
        start(SHORT, arrays);
        wait_until_idle(arrays);
        release(arrays);
        ck_assert_int_eq(dlclose(module), 0);
    }
}
END_TEST

/* They finish their tasks first. */
START_TEST(a_module_is_unloaded_while_its_threads_are_at_work)
{
    for (int i = 0; i < N_TIMES; i++) {
        assay_array *arrays[N_STREAMS];
        load();
        start(LONG, arrays);
        if (i % 2) (void)usleep(1000);
        release(arrays);
        ck_assert_int_eq(dlclose(module), 0);
    }
}
END_TEST

/* Runs in a child process: its own threads do its work, and it exits by itself. */
static void work_in_child(bool unload)
{
    assay_array *arrays[N_STREAMS];
    start(SHORT, arrays);
    for (size_t i = 0; i < N_STREAMS; i++) {
        float x[SHORT];
        size_t n;
        if (streams->read(arrays[i], x, SHORT, &n, NULL) != ASSAY_OK || n != SHORT) exit(1);
    }
    release(arrays);
    if (unload && dlclose(module) != 0) exit(1);
    exit(0);
}

static void expect_child_works(bool unload)
{
    int status = -1;
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) work_in_child(unload);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

START_TEST(a_forked_process_has_threads_of_its_own)
{
    assay_array *arrays[N_STREAMS];
    load();
    start(SHORT, arrays);
    wait_until_idle(arrays);
    expect_child_works(false);
    expect_child_works(true);
    release(arrays);
    ck_assert_int_eq(dlclose(module), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/unload");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 60);
    tcase_add_test(all, a_module_is_unloaded_while_its_threads_are_idle);
    tcase_add_test(all, a_module_is_unloaded_while_its_threads_are_at_work);
    tcase_add_test(all, a_forked_process_has_threads_of_its_own);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
