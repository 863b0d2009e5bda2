/* assay locate loads one tensor at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "conformance/hdf5/hdf5.h"
#include "conformance/process/isolate.h"
#include "conformance/tests/layered.h"
#include "conformance/tests/support.h"

/* The largest peak memory of a child process so far, in kilobytes. */
static long most_memory(void)
{
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return usage.ru_maxrss;
}

static const char *const lean[] = {"layered", "layered_no_override"};

/* 8 and 96 layers of tensors of 0.75 MiB: 66 MiB more, had they all been kept. */
START_TEST(memory_does_not_grow_with_the_layers)
{
    const size_t width = 32768;
    (void)layered_write(8, width, "few", false);
    (void)layered_write(96, width, "many", false);
    assert_code(support_assay("locate few.h5 --engine %s", support_engine(lean[_i])), 0);
    long few = most_memory();
    const support_output *o = support_assay("locate many.h5 --engine %s", support_engine(lean[_i]));
    assert_code(o, 0);
    assert_holds(o->out, "layer.95.out ");
    if (CONF_LIMITS_MEMORY) ck_assert_msg(most_memory() - few < 8192, "%ld KiB more", most_memory() - few);
}
END_TEST

enum { PACKED_LAYERS = 8, PACKED_WIDTH = 327680 };

/* Tensors of zeros, packed a thousandfold. */
static void pack_tensors(hid_t file)
{
    const hsize_t shape[] = {3, PACKED_WIDTH};
    hid_t space = H5Screate_simple(2, shape, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    const double zero = 0;
    double *value = calloc(3 * PACKED_WIDTH, sizeof *value);
    ck_assert_ptr_nonnull(value);
    ck_assert_int_ge(H5Pset_chunk(list, 2, shape), 0);
    ck_assert_int_ge(H5Pset_deflate(list, 9), 0);
    ck_assert_int_ge(H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &zero), 0);
    for (int i = 0; i < PACKED_LAYERS; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "/trace/layer.%02d.out", i);
        hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT);
        ck_assert_int_ge(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value), 0);
        (void)H5Dclose(set);
    }
    free(value);
    (void)H5Pclose(list);
    (void)H5Sclose(space);
}

/* A small file may unpack to so much in all: enough to read its tensors once, not twice. */
START_TEST(reading_a_tensor_again_does_not_use_up_the_unpacking_limit)
{
    char model[64];
    struct stat file;
    (void)snprintf(model, sizeof model, "%dx%d-packed", PACKED_LAYERS, PACKED_WIDTH);
    const char *path = support_write_decoder(support_path("packed.h5"), "logits", model);
    edit_remove(path, "/trace/embed");
    edit_remove(path, "/trace/layer.00.out");
    edit_file(path, pack_tensors);
    ck_assert_int_eq(stat(path, &file), 0);
    size_t once = (size_t)PACKED_LAYERS * PACKED_WIDTH * 3 * sizeof(double);
    size_t most = (size_t)file.st_size * CONF_H5_UNPACKED_RATIO + CONF_H5_UNPACKED_BYTES;
    ck_assert_msg(once < most && 2 * once > most, "%zu of %zu", once, most);
    const support_output *o = support_assay("locate packed.h5 --engine %s", support_engine("layered"));
    assert_code(o, 1);
    ck_assert_str_eq(o->err, "");
    assert_holds(o->out, "made there: ");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/locate/memory");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, support_setup, support_teardown);
    tcase_add_loop_test(t, memory_does_not_grow_with_the_layers, 0, 2);
    tcase_add_test(t, reading_a_tensor_again_does_not_use_up_the_unpacking_limit);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
