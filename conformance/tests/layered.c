/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/layered.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/support.h"

static int32_t prompt[3];

static void read_prompt(hid_t file)
{
    int32_t tokens[CASE_B][CASE_T];
    hid_t dataset = H5Dopen2(file, "/input/tokens", H5P_DEFAULT);
    ck_assert_int_ge(H5Dread(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, tokens), 0);
    (void)H5Dclose(dataset);
    memcpy(prompt, tokens[0] + CASE_T - 3, sizeof prompt);
}

/* Records the tensor that the layered engine computes for sample 0 after `depth` layers; half of it if `half`
 * is set. */
static void write_tensor(const char *path, const char *name, size_t depth, size_t width, bool half)
{
    double *value = calloc(3 * width, sizeof *value);
    uint32_t state = 0;
    ck_assert_ptr_nonnull(value);
    for (size_t t = 0; t < 3; t++) {
        state = formula_step(state, prompt[t]);
        for (size_t d = 0; d < width; d++)
            value[t * width + d] =
                (formula_trace(state, 0, d % FORMULA_WIDTH) + (double)depth) / (half ? 2 : 1);
    }
    edit_f64(path, name, 2, (size_t[]){3, width}, value);
    edit_attribute_number(path, name, "noise", LAYERED_NOISE);
    free(value);
}

const char *layered_write(size_t n_layers, size_t width, const char *fault, bool fine)
{
    char model[128], name[64];
    (void)snprintf(model, sizeof model, "%zux%zu-%s", n_layers, width, fault);
    const char *path = support_write_decoder(support_path("%s.h5", fault), "logits", model);
    edit_remove(path, "/trace");
    edit_file(path, read_prompt);
    write_tensor(path, "/trace/embed", 0, width, false);
    for (size_t i = 0; i < n_layers; i++) {
        (void)snprintf(name, sizeof name, "/trace/layer.%02zu.attn", i);
        if (fine) write_tensor(path, name, i, width, true);
        (void)snprintf(name, sizeof name, "/trace/layer.%02zu.out", i);
        write_tensor(path, name, i + 1, width, false);
    }
    return path;
}
