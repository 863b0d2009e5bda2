/* The seams of faults that show only with a second thread; see seams.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "conformance/faults/fault.h"
#include "fastpath/ops.h"
#include "runtime/array_eval.h"

__typeof__(array_list_open) __real_array_list_open, __wrap_array_list_open;
__typeof__(array_list_realise) __real_array_list_realise, __wrap_array_list_realise;
__typeof__(stream_default) __real_stream_default, __wrap_stream_default;
__typeof__(queue_take_error) __real_queue_take_error, __wrap_queue_take_error;
__typeof__(fp_norm_run) __real_fp_norm_run, __wrap_fp_norm_run;

/* A stream of the thread that loads the module, which is not the thread that opens a model. */
static assay_stream elsewhere;

__attribute__((constructor)) static void open_elsewhere(void)
{
    (void)fault_plant(NULL); /* streams are used before any model is opened */
    if (fault_planted()->builds_elsewhere)
        (void)stream_new((assay_device){ASSAY_CPU, 0}, ASSAY_STREAM_OWNED, &elsewhere, NULL);
}

assay_status __wrap_array_list_open(array_list **out, assay_error *err)
{
    assay_scope scope;
    if (!fault_planted()->builds_elsewhere) return __real_array_list_open(out, err);
    assay_status rc = stream_scope_enter(elsewhere, &scope, err);
    if (rc != ASSAY_OK) return rc;
    rc = __real_array_list_open(out, err);
    (void)stream_scope_leave(&scope, NULL);
    return rc;
}

assay_status __wrap_array_list_realise(array_list *l, assay_error *err)
{
    if (!fault_planted()->forgets) return __real_array_list_realise(l, err);
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < array_list_count(l); i++) {
        assay_array_info info;
        array *a = array_list_at(l, i, &info);
        if (!fault_planted()->forgets(&info)) rc = array_evaluate(&a, 1, err);
    }
    return rc;
}

assay_status __wrap_stream_default(assay_device device, assay_stream *out, assay_error *err)
{
    assay_status rc = __real_stream_default(device, out, err);
    return rc == ASSAY_OK && fault_planted()->gives_default ? fault_planted()->gives_default(device, out)
                                                            : rc;
}

assay_status __wrap_queue_take_error(queue *q, assay_error *err)
{
    assay_status rc = __real_queue_take_error(q, err);
    return fault_planted()->drops_errors ? ASSAY_OK : rc;
}

/* Lets another thread run, however busy the machine is: sessions that share memory meet in it. */
static void let_others_run(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
}

void __wrap_fp_norm_run(const fp_pass *pass, float *y, const float *x, size_t n_rows, size_t width,
                        const fp_norm *norm)
{
    if (fault_planted()->shares_scratch) let_others_run();
    if (fault_planted()->norm && norm->present) fault_planted()->norm(pass, y, x, n_rows, width, norm);
    else __real_fp_norm_run(pass, y, x, n_rows, width, norm);
}
