/* Input: what an engine's program writes to its standard output.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/exec/link.h"
#include "fuzz/fuzz.h"
#include "model/checkpoint/safetensors.h"

#include <fcntl.h>
#include <unistd.h>

#define BODY_MOST ((size_t)1 << 16)

/* Reads every value of the header as a tensor: those that are none are refused. */
static void read_tensors(const exec_frame *f, const conf_json_at *at)
{
    assay_tensor t;
    assay_error err = {0};
    volatile unsigned char touched = 0;
    const assay_status rc = exec_frame_tensor(f, at, &t, &err);
    if (rc == ASSAY_OK) {
        const size_t bytes = safetensors_bytes(&t);
        fuzz_require(bytes <= f->n_body, "a tensor is not longer than the body");
        for (size_t i = 0; i < bytes; i++) touched ^= ((const unsigned char *)t.data)[i];
        (void)touched;
    } else {
        fuzz_require_refusal(rc, &err, true);
    }
    if (json_object_is_type(at->value, json_type_object)) {
        json_object_object_foreach(at->value, name, value)
        {
            const conf_json_at inside = {.above = at, .name = name, .value = value};
            read_tensors(f, &inside);
        }
    }
    if (!json_object_is_type(at->value, json_type_array)) return;
    for (size_t i = 0; i < json_object_array_length(at->value); i++) {
        const conf_json_at inside = conf_json_element(at, i);
        read_tensors(f, &inside);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int from = open(fuzz_write("answers", data, size), O_RDONLY | O_CLOEXEC);
    fuzz_require(from >= 0, "the input can be read");
    exec_frame f;
    exec_hello hello;
    assay_error err = {0};
    assay_status rc;
    while ((rc = exec_frame_read(from, "a program", BODY_MOST, &f, &err)) == ASSAY_OK) {
        const conf_json_at header = {.name = "a program", .value = f.header};
        fuzz_require(f.n_body <= BODY_MOST, "a body is not longer than allowed");
        read_tensors(&f, &header);
        (void)exec_hello_read(&f, &hello, &err);
        exec_frame_free(&f);
        err = (assay_error){0};
    }
    fuzz_require_refusal(rc, &err, true);
    exec_frame_free(&f);
    (void)close(from);
    return 0;
}
