/* Frames that are read, from files of bytes, and frames that are written.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conformance/exec/frame.h"
#include "conformance/support/json_add.h"
#include "conformance/tests/support.h"

/* A descriptor that reads a frame's prefix with these lengths, then header and body. */
static int frame_of(uint64_t n_header, uint64_t n_body, const char *header, const void *body, size_t n)
{
    unsigned char prefix[16] = "ASAY";
    const int file = memfd_create("frame", MFD_CLOEXEC);
    ck_assert_int_ge(file, 0);
    for (size_t i = 0; i < 4; i++) prefix[4 + i] = (unsigned char)(n_header >> (8 * i));
    for (size_t i = 0; i < 8; i++) prefix[8 + i] = (unsigned char)(n_body >> (8 * i));
    ck_assert_int_eq(write(file, prefix, sizeof prefix), sizeof prefix);
    ck_assert_int_eq(write(file, header, strlen(header)), (ssize_t)strlen(header));
    ck_assert_int_eq(write(file, body, n), (ssize_t)n);
    ck_assert_int_eq(lseek(file, 0, SEEK_SET), 0);
    return file;
}

static void assert_refused(int file, size_t body_most, assay_status status, const char *reason)
{
    exec_frame f;
    assay_error err = {0};
    const assay_status rc = exec_frame_read(file, "it", body_most, &f, &err);
    exec_frame_free(&f);
    (void)close(file);
    ck_assert_msg(rc == status && strstr(err.text, reason), "status %d, text: %s", rc, err.text);
}

START_TEST(bytes_that_are_no_frame_are_refused)
{
    static const char header[] = "{\"id\":1}";
    const int text = memfd_create("text", MFD_CLOEXEC);
    ck_assert_int_eq(write(text, "Loading\n", 8), 8);
    ck_assert_int_eq(lseek(text, 0, SEEK_SET), 0);
    assert_refused(text, 0, ASSAY_EFORMAT, "found \"Loading \" on its standard output");
    assert_refused(memfd_create("nothing", MFD_CLOEXEC), 0, ASSAY_EIO, "it ended without an answer");
    assert_refused(frame_of(8, 4, header, "abcd", 4), 3, ASSAY_EFORMAT,
                   "found a body of 4 bytes, expected at most 3");
    assert_refused(frame_of(8, 4, header, "ab", 2), 4, ASSAY_EIO, "after 2 bytes of its body, expected 4");
    assert_refused(frame_of(9, 0, header, "", 0), 4, ASSAY_EIO, "after 8 bytes of its header, expected 9");
    assert_refused(frame_of(UINT32_MAX, 0, header, "", 0), 4, ASSAY_EFORMAT, "expected at most 16777216");
    assert_refused(frame_of(8, UINT64_MAX, header, "", 0), SIZE_MAX / 2, ASSAY_EFORMAT,
                   "found a body of 18446744073709551615");
    assert_refused(frame_of(3, 0, "[1]", "", 0), 4, ASSAY_EFORMAT,
                   "a header that is array, expected an object");
    assert_refused(frame_of(4, 0, "null", "", 0), 4, ASSAY_EFORMAT,
                   "a header that is null, expected an object");
    assert_refused(frame_of(13, 0, "{\"a\":1,\"a\":2}", "", 0), 4, ASSAY_EFORMAT,
                   "found member name 'a' again");
    assert_refused(frame_of(0, 0, "", "", 0), 4, ASSAY_EFORMAT, "expected a value");
}
END_TEST

START_TEST(tensors_lie_in_the_body)
{
    static const struct {
        const char *tensor, *reason;
    } cases[] = {
        {"{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}", NULL},
        {"{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[8,16]}", NULL},
        {"{\"dtype\":\"I8\",\"shape\":[0,7],\"data_offsets\":[3,3]}", NULL},
        {"{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}", "found 4 bytes, expected 8"},
        {"{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[2,10]}",
         "found offset 2, expected a multiple of 4"},
        {"{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[12,20]}",
         "data_offsets[1]: found 20, expected a whole number from 12 to 16"},
        {"{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}", "data_offsets[1]: found 0"},
        {"{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]}", "found 1 offsets, expected 2"},
        {"{\"dtype\":\"F32\",\"shape\":[2]}", "data_offsets: is missing"},
        {"{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[0,1]}", "found dtype F4"},
        {"{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,1]}", "shape[0]: found -1"},
        {"{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,1]}", "overflows"},
        {"{\"dtype\":\"I8\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,1]}", "found 9 dimensions"},
        {"3", "expected an object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char header[256];
        exec_frame f;
        conf_json_at t;
        assay_tensor out;
        assay_error err = {0};
        (void)snprintf(header, sizeof header, "{\"t\":%s}", cases[i].tensor);
        const int file = frame_of(strlen(header), 16, header, "0123456789abcdef", 16);
        ck_assert_int_eq(exec_frame_read(file, "it", 16, &f, &err), ASSAY_OK);
        (void)close(file);
        const conf_json_at root = {.name = "it", .value = f.header};
        ck_assert(conf_json_find(&root, "t", &t));
        const assay_status rc = exec_frame_tensor(&f, &t, &out, &err);
        if (!cases[i].reason) ck_assert_msg(rc == ASSAY_OK, "%s", err.text);
        else ck_assert_msg(rc == ASSAY_EFORMAT && strstr(err.text, cases[i].reason), "%zu: %s", i, err.text);
        exec_frame_free(&f);
    }
}
END_TEST

START_TEST(tensor_of_another_shape_is_refused)
{
    static const char header[] = "{\"t\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}";
    exec_frame f;
    conf_json_at t;
    assay_tensor out;
    assay_error err = {0};
    const size_t same[] = {2, 2}, other[] = {4, 1};
    const int file = frame_of(strlen(header), 16, header, "0123456789abcdef", 16);
    ck_assert_int_eq(exec_frame_read(file, "it", 16, &f, &err), ASSAY_OK);
    (void)close(file);
    const conf_json_at root = {.name = "it", .value = f.header};
    ck_assert(conf_json_find(&root, "t", &t));
    ck_assert_int_eq(exec_frame_tensor_of(&f, &t, ASSAY_F32, same, 2, &out, &err), ASSAY_OK);
    ck_assert_int_eq(exec_frame_tensor_of(&f, &t, ASSAY_F32, other, 2, &out, &err), ASSAY_EFORMAT);
    ck_assert_str_eq(err.text, "it: t: found F32 [2, 2], expected F32 [4, 1]");
    ck_assert_int_eq(exec_frame_tensor_of(&f, &t, ASSAY_F64, same, 2, &out, &err), ASSAY_EFORMAT);
    exec_frame_free(&f);
}
END_TEST

START_TEST(frame_that_is_written_is_read_back)
{
    static const float data[] = {1, 2, 3, 4, 5, 6};
    const assay_tensor t = {.name = "x", .dtype = ASSAY_F32, .rank = 2, .shape = {2, 3}, .data = data};
    const int file = memfd_create("frame", MFD_CLOEXEC);
    const size_t shape[] = {2, 3};
    exec_message m;
    exec_frame f;
    conf_json_at at;
    assay_tensor found;
    assay_error err = {0};
    exec_message_begin(&m);
    ck_assert(conf_json_add(m.header, "first", exec_message_tensor(&m, &t)));
    ck_assert(conf_json_add(m.header, "second", exec_message_tensor(&m, &t)));
    ck_assert_int_eq(exec_message_write(file, "it", &m, &err), ASSAY_OK);
    exec_message_end(&m);
    ck_assert_int_eq(lseek(file, 0, SEEK_SET), 0);
    ck_assert_int_eq(exec_frame_read(file, "it", 2 * sizeof data, &f, &err), ASSAY_OK);
    (void)close(file);
    const conf_json_at root = {.name = "it", .value = f.header};
    ck_assert(conf_json_find(&root, "second", &at));
    ck_assert_int_eq(exec_frame_tensor_of(&f, &at, ASSAY_F32, shape, 2, &found, &err), ASSAY_OK);
    ck_assert_str_eq(found.name, "x");
    ck_assert_mem_eq(found.data, data, sizeof data);
    ck_assert_ptr_eq(found.data, f.body + sizeof data);
    exec_frame_free(&f);
}
END_TEST

/* The signal would end the harness; it stays blocked if the caller has blocked it, and is not left pending.
 */
START_TEST(program_that_has_ended_is_an_error_and_no_signal)
{
    int ends[2];
    sigset_t pending;
    exec_message m;
    assay_error err = {0};
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    (void)close(ends[0]);
    exec_message_begin(&m);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(exec_message_write(ends[1], "it", &m, &err), ASSAY_EIO);
        ck_assert_ptr_nonnull(strstr(err.text, "it no longer reads requests"));
    }
    exec_message_end(&m);
    (void)sigpending(&pending);
    ck_assert(!sigismember(&pending, SIGPIPE));
    (void)close(ends[1]);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("frame");
    tcase_add_test(c, bytes_that_are_no_frame_are_refused);
    tcase_add_test(c, tensors_lie_in_the_body);
    tcase_add_test(c, tensor_of_another_shape_is_refused);
    tcase_add_test(c, frame_that_is_written_is_read_back);
    tcase_add_test(c, program_that_has_ended_is_an_error_and_no_signal);
    Suite *suite = suite_create("exec/frame");
    suite_add_tcase(suite, c);
    return support_run(suite);
}
