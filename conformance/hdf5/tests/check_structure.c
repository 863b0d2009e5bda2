/* Groups, attributes and headers in both formats, small and large, compared with libhdf5; limits of
 * unpacking; and messages of the commands for a file with unreadable data.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/hdf5/bytes.h"
#include "conformance/hdf5/hdf5.h"
#include "conformance/hdf5/text.h"
#include "conformance/tests/support.h"

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_path("structure.h5");
}

static conf_h5 *open_file(void)
{
    conf_h5 *file;
    assay_error err = {0};
    ck_assert_msg(conf_h5_open(path, &file, &err) == ASSAY_OK, "%s", err.text);
    return file;
}

/* Jenkins publishes these two. */
START_TEST(the_checksum_of_the_structure_is_lookup3)
{
    ck_assert_uint_eq(conf_lookup3("", 0), 0xdeadbeef);
    ck_assert_uint_eq(conf_lookup3("Four score and seven years ago", 30), 0x17770551);
}
END_TEST

static hid_t create_file(bool latest, bool ordered)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    if (latest) ck_assert_int_ge(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), 0);
    if (ordered) {
        ck_assert_int_ge(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
                         0);
        ck_assert_int_ge(H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
                         0);
    }
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    ck_assert_int_ge(file, 0);
    (void)H5Pclose(access);
    (void)H5Pclose(creation);
    return file;
}

static void add_number(hid_t file, const char *name, int32_t value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t dataset = H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
}

START_TEST(groups_of_any_size_are_listed_and_followed)
{
    static const int sizes[] = {0, 1, 8, 9, 100, 2500};
    int n = sizes[_i / 3];
    hid_t file = create_file(_i % 3 > 0, _i % 3 == 2);
    (void)H5Gclose(H5Gcreate2(file, "/deep", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    char name[64];
    for (int i = 0; i < n; i++) {
        (void)snprintf(name, sizeof name, "/deep/member.%d.%.*s", i * 7 % 1000003, i % 20,
                       "abcdefghijklmnopqrst");
        add_number(file, name, i);
    }
    ck_assert_int_ge(H5Fclose(file), 0);
    conf_h5 *opened = open_file();
    conf_strings members;
    assay_error err = {0};
    ck_assert_msg(conf_h5_members(opened, "/deep", &members, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(members.n, (size_t)n);
    for (size_t i = 1; i < members.n; i++) ck_assert_int_lt(strcmp(members.at[i - 1], members.at[i]), 0);
    conf_strings_free(&members);
    for (int i = 0; i < n; i += 1 + n / 50) {
        (void)snprintf(name, sizeof name, "/deep/member.%d.%.*s", i * 7 % 1000003, i % 20,
                       "abcdefghijklmnopqrst");
        conf_array a;
        ck_assert_msg(conf_h5_read(opened, name, &a, &err) == ASSAY_OK, "%s", err.text);
        ck_assert_int_eq(*(const int32_t *)a.data, i);
        conf_array_free(&a);
    }
    ck_assert(!conf_h5_has(opened, "/deep/member"));
    ck_assert(!conf_h5_has(opened, "/shallow/member"));
    conf_h5_close(opened);
}
END_TEST

/* Short ones, and every tenth longer than what heaps keep in their blocks. */
static char *text_of(int i)
{
    size_t n = i % 10 == 9 ? 5000 : (size_t)(i % 40) + 1;
    char *text = malloc(n + 1);
    ck_assert_ptr_nonnull(text);
    for (size_t k = 0; k < n; k++) text[k] = (char)('a' + (i + (int)k) % 26);
    text[n] = '\0';
    return text;
}

START_TEST(attributes_of_any_number_are_read)
{
    static const int numbers[] = {0, 1, 8, 9, 300};
    int n = numbers[_i / 3];
    hid_t file = create_file(_i % 3 > 0, _i % 3 == 2), space = H5Screate(H5S_SCALAR);
    char name[32];
    for (int i = 0; i < n; i++) {
        char *text = text_of(i);
        hid_t type = H5Tcopy(H5T_C_S1);
        (void)H5Tset_size(type, i % 2 ? strlen(text) : H5T_VARIABLE);
        (void)snprintf(name, sizeof name, "name.%d", i);
        hid_t id = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        ck_assert_int_ge(H5Awrite(id, type, i % 2 ? (const void *)text : (const void *)&text), 0);
        (void)H5Aclose(id);
        (void)H5Tclose(type);
        free(text);
    }
    (void)H5Sclose(space);
    ck_assert_int_ge(H5Fclose(file), 0);
    conf_h5 *opened = open_file();
    conf_strings names;
    assay_error err = {0};
    ck_assert_int_eq(conf_h5_attributes(opened, &names, &err), ASSAY_OK);
    ck_assert_uint_eq(names.n, (size_t)n);
    conf_strings_free(&names);
    for (int i = 0; i < n; i++) {
        char *text, *expected = text_of(i);
        (void)snprintf(name, sizeof name, "name.%d", i);
        ck_assert_msg(conf_h5_attribute_text(opened, name, &text, &err) == ASSAY_OK, "%s", err.text);
        ck_assert_str_eq(text, expected);
        free(text);
        free(expected);
    }
    bool has;
    ck_assert_int_eq(conf_h5_has_attribute(opened, "name", &has, &err), ASSAY_OK);
    ck_assert(!has);
    conf_h5_close(opened);
}
END_TEST

/* Changes the byte at `at` to every other value in turn, or cuts the file there: opening, listing and reading
 * must come to an end, with an error or without. */
static void read_all(void)
{
    conf_h5 *file;
    conf_strings names;
    if (conf_h5_open(path, &file, NULL) != ASSAY_OK) return;
    if (conf_h5_members(file, "/deep", &names, NULL) == ASSAY_OK) {
        for (size_t i = 0; i < names.n; i++) {
            char name[300];
            conf_array a;
            (void)snprintf(name, sizeof name, "/deep/%s", names.at[i]);
            if (conf_h5_read(file, name, &a, NULL) == ASSAY_OK) conf_array_free(&a);
        }
        conf_strings_free(&names);
    }
    conf_h5_close(file);
}

START_TEST(every_byte_of_a_file_may_be_wrong)
{
    hid_t file = create_file(_i, false);
    (void)H5Gclose(H5Gcreate2(file, "/deep", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    char name[32];
    for (int i = 0; i < 12; i++) {
        (void)snprintf(name, sizeof name, "/deep/%d", i);
        add_number(file, name, i);
    }
    ck_assert_int_ge(H5Fclose(file), 0);
    int fd = open(path, O_RDWR);
    off_t size = lseek(fd, 0, SEEK_END);
    static const unsigned char masks[] = {1, 0x80, 0xff};
    for (off_t at = 0; at < size; at++)
        for (size_t k = 0; k < sizeof masks; k++) {
            unsigned char byte, changed;
            ck_assert_int_eq(pread(fd, &byte, 1, at), 1);
            if (byte == 0 && k > 0 && at % 8) continue; /* much of it is padding */
            changed = byte ^ masks[k];
            ck_assert_int_eq(pwrite(fd, &changed, 1, at), 1);
            read_all();
            ck_assert_int_eq(pwrite(fd, &byte, 1, at), 1);
        }
    (void)close(fd);
}
END_TEST

/* Zeros in 128 chunks of 64 KiB, each of which unpacks to this many numbers. */
static hsize_t bomb_chunk;

static void add_bomb(hid_t file)
{
    enum { N_CHUNKS = 128 };
    const hsize_t shape = bomb_chunk * N_CHUNKS;
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &shape, NULL);
    ck_assert_int_ge(H5Pset_chunk(plist, 1, &bomb_chunk), 0);
    ck_assert_int_ge(H5Pset_deflate(plist, 9), 0);
    hid_t dataset = H5Dcreate2(file, "/input/bomb", H5T_IEEE_F64LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    static char packed[65536];
    for (hsize_t i = 0; i < N_CHUNKS; i++) {
        const hsize_t start = i * bomb_chunk;
        ck_assert_int_ge(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &start, sizeof packed, packed), 0);
    }
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
}

START_TEST(eight_megabytes_do_not_unpack_to_gigabytes_in_any_command)
{
    static const char *const reasons[] = {" is larger than 2048 MiB",
                                          " unpacks to 1073741824 bytes; a file of 8"};
    static const char *const commands[] = {"info case.h5", "run -e %s case.h5", "locate -e %s case.h5"};
    bomb_chunk = _i == 0 ? 1 << 23 : 1 << 20;
    (void)support_write_decoder(support_path("case.h5"), "logits", "ok");
    edit_file(support_path("case.h5"), add_bomb);
    for (size_t i = 0; i < 3; i++) {
        const support_output *o = support_assay(commands[i], support_engine("fake32"));
        assert_code(o, 99);
        assert_holds(i == 1 ? o->out : o->err, "case.h5: /input/bomb");
        assert_holds(i == 1 ? o->out : o->err, reasons[_i]);
    }
}
END_TEST

/* Replaces a dataset of a case or an observation by one with a chunk of the wrong size. */
static const char *spoiled;

static void damage_chunk(hid_t file)
{
    hid_t dataset = H5Dopen2(file, spoiled, H5P_DEFAULT), type = H5Dget_type(dataset);
    hid_t space = H5Dget_space(dataset), plist = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t shape[3], start[3] = {0, 0, 0};
    int rank = H5Sget_simple_extent_dims(space, shape, NULL);
    (void)H5Dclose(dataset);
    ck_assert_int_ge(H5Pset_chunk(plist, rank, shape), 0);
    ck_assert_int_ge(H5Pset_fletcher32(plist), 0);
    ck_assert_int_ge(H5Ldelete(file, spoiled, H5P_DEFAULT), 0);
    dataset = H5Dcreate2(file, spoiled, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, start, 4, "\0\0\0\0"), 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
    (void)H5Tclose(type);
}

static const struct {
    const char *file, *member, *command;
    bool on_output; /* the table of a run reports it */
} spoilt[] = {
    {"case.h5", "/expect/truth/prefill", "run -e %s case.h5", true},
    {"case.h5", "/expect/truth/prefill", "info case.h5", false},
    {"case.h5", "/expect/truth/prefill", "locate -e %s case.h5", false},
    {"case.h5", "/expect/truth/prefill", "diff case.h5 seen.h5", false},
    {"case.h5", "/input/tokens", "run -e %s case.h5", true},
    {"case.h5", "/input/length", "info case.h5", false},
    {"case.h5", "/input/length", "diff case.h5 seen.h5", false},
    {"case.h5", "/trace/embed", "locate -e %s case.h5", false},
    {"seen.h5", "/observed/prefill", "diff case.h5 seen.h5", false},
    {"seen.h5", "/observed/prefill", "diff seen.h5 seen.h5", false},
    {"seen.h5", "/observed/prefill", "locate case.h5 seen.h5", false},
    {"seen.h5", "/observed/trace/embed", "diff case.h5 seen.h5", false},
    {"seen.h5", "/observed/tokens", "diff case.h5 seen.h5", false},
    {"seen.h5", "/observed/tokens", "diff seen.h5 seen.h5", false},
};

START_TEST(a_chunk_of_the_wrong_size_is_never_judged)
{
    const char *engine = support_engine("fake32");
    (void)support_write_decoder(support_path("case.h5"), "generate", "ok");
    support_write_text(support_path("ok/config.json"), "{\"eos_token_id\": 5}");
    (void)support_observe(support_path("case.h5"), "float32", support_path("seen.h5"));
    spoiled = spoilt[_i].member;
    edit_file(support_path("%s", spoilt[_i].file), damage_chunk);
    const support_output *o = support_assay(spoilt[_i].command, engine);
    const char *said = spoilt[_i].on_output ? o->out : o->err;
    assert_code(o, 99);
    assert_holds(said, spoilt[_i].file);
    assert_holds(said, spoilt[_i].member);
    assert_holds(said, " is damaged: found 4 bytes, expected ");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/structure");
    TCase *structure = tcase_create("structure");
    tcase_set_timeout(structure, 120);
    tcase_add_checked_fixture(structure, setup, support_teardown);
    tcase_add_test(structure, the_checksum_of_the_structure_is_lookup3);
    tcase_add_loop_test(structure, groups_of_any_size_are_listed_and_followed, 0, 18);
    tcase_add_loop_test(structure, attributes_of_any_number_are_read, 0, 15);
    tcase_add_loop_test(structure, every_byte_of_a_file_may_be_wrong, 0, 2);
    suite_add_tcase(suite, structure);
    TCase *commands = tcase_create("commands");
    tcase_set_timeout(commands, 60);
    tcase_add_checked_fixture(commands, setup, support_teardown);
    tcase_add_loop_test(commands, eight_megabytes_do_not_unpack_to_gigabytes_in_any_command, 0, 2);
    tcase_add_loop_test(commands, a_chunk_of_the_wrong_size_is_never_judged, 0,
                        sizeof spoilt / sizeof *spoilt);
    suite_add_tcase(suite, commands);
    return support_run(suite);
}
