/* GGUF files with one defect each, as bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "gguf/container.h"

#include "base/tests/support.h"

#include <stdio.h>

/* Numbers of 8 bytes. */
#define N0   "\0\0\0\0\0\0\0\0"
#define N1   "\1\0\0\0\0\0\0\0"
#define N2   "\2\0\0\0\0\0\0\0"
#define N3   "\3\0\0\0\0\0\0\0"
#define N32  "\40\0\0\0\0\0\0\0"
#define N33  "\41\0\0\0\0\0\0\0"
#define N256 "\0\1\0\0\0\0\0\0"
#define N4K  "\0\20\0\0\0\0\0\0"
#define N4G  "\0\0\0\0\1\0\0\0"
#define BIG  "\377\377\377\377\377\377\377\177"
#define MOST "\377\377\377\377\377\377\377\377"
/* Numbers of 4 bytes, among them kinds of values and types of tensors. */
#define D0        "\0\0\0\0"
#define D1        "\1\0\0\0"
#define D2        "\2\0\0\0"
#define D3        "\3\0\0\0"
#define D4        "\4\0\0\0"
#define D5        "\5\0\0\0"
#define KIND_U8   D0
#define KIND_U16  D2
#define KIND_U32  D4
#define KIND_F32  "\6\0\0\0"
#define KIND_BOOL "\7\0\0\0"
#define KIND_TEXT "\10\0\0\0"
#define KIND_LIST "\11\0\0\0"
#define KIND_NONE "\15\0\0\0"
#define F32       D0
#define Q4_0      D2
#define Q4_2      D4
#define Q4_0_4_4  "\37\0\0\0"
#define UNKNOWN   "\53\0\0\0"

#define HEAD(n_tensors, n_keys) "GGUF" D3 n_tensors n_keys
#define A                       N1 "a"
#define B                       N1 "b"
#define TENSOR_A                A D2 N32 N1 F32 N0 /* 128 bytes */
#define ZEROS_32                N0 N0 N0 N0
#define TAIL                    ZEROS_32 ZEROS_32 ZEROS_32 ZEROS_32 ZEROS_32 ZEROS_32 /* longer than any padding */
#define ALIGNMENT                                                                                            \
    "\21\0\0\0\0\0\0\0"                                                                                      \
    "general.alignment"
#define SPLIT_COUNT                                                                                          \
    "\13\0\0\0\0\0\0\0"                                                                                      \
    "split.count"
#define SPLIT_NO                                                                                             \
    "\10\0\0\0\0\0\0\0"                                                                                      \
    "split.no"
#define SPLIT_TENSORS                                                                                        \
    "\23\0\0\0\0\0\0\0"                                                                                      \
    "split.tensors.count"

typedef struct defect {
    const char *name;
    const char *bytes;
    size_t n;
    assay_status status;
    const char *found, *expected; /* parts of the message */
} defect;

#define BYTES(text) text, sizeof(text) - 1

static const defect DEFECTS[] = {
    {"an empty file", BYTES(""), ASSAY_EFORMAT, "magic at byte 0: found 0 bytes", "expected 4"},
    {"three bytes", BYTES("GGU"), ASSAY_EFORMAT, "found 3 bytes", "expected 4"},
    {"another format", BYTES("ggml" D3), ASSAY_EFORMAT, "found bytes 67 67 6d 6c", "expected 'GGUF'"},
    {"no version", BYTES("GGUF\3"), ASSAY_EFORMAT, "version at byte 4: found 1 bytes", "expected 4"},
    {"version 0", BYTES("GGUF" D0 N0 N0), ASSAY_EUNSUPPORTED, "found version 0", "expected 2 or 3"},
    {"version 1", BYTES("GGUF" D1 N0 N0), ASSAY_EUNSUPPORTED, "found version 1", "expected 2 or 3"},
    {"version 4", BYTES("GGUF" D4 N0 N0), ASSAY_EUNSUPPORTED, "found version 4", "expected 2 or 3"},
    {"big-endian", BYTES("GGUF\0\0\0\3" N0 N0), ASSAY_EUNSUPPORTED, "found a big-endian file of version 3",
     "expected a little-endian one"},
    {"no count of tensors", BYTES("GGUF" D3 D0), ASSAY_EFORMAT, "number of tensors at byte 8: found 4 bytes",
     "expected 8"},
    {"no count of keys", BYTES("GGUF" D3 N0), ASSAY_EFORMAT, "number of keys at byte 16", "expected 8"},
    {"more keys than fit", BYTES(HEAD(N0, BIG) TAIL), ASSAY_EFORMAT, "found 9223372036854775807 keys",
     "expected at most the 13"},
    {"more tensors than fit", BYTES(HEAD(MOST, N0) TAIL), ASSAY_EFORMAT, "found 18446744073709551615 tensors",
     "expected at most the 7"},
    {"a key beyond the file", BYTES(HEAD(N0, N1) BIG "aaaaaaaaaaaaaaaa"), ASSAY_EFORMAT, "key at byte 32",
     "expected 9223372036854775807"},
    {"a key without bytes", BYTES(HEAD(N0, N1) N0 KIND_U32 D5 TAIL), ASSAY_EFORMAT,
     "key at byte 24: found 0 bytes", "expected 1 to 65535"},
    {"a key that is no UTF-8", BYTES(HEAD(N0, N1) N1 "\377" KIND_U32 D5), ASSAY_EFORMAT, "key at byte 24",
     "no UTF-8"},
    {"a key with a zero", BYTES(HEAD(N0, N1) N2 "a\0" KIND_U32 D5), ASSAY_EFORMAT,
     "found a control character", "expected a name without"},
    {"a key with a line feed", BYTES(HEAD(N0, N1) N2 "a\n" KIND_U32 D5), ASSAY_EFORMAT,
     "found a control character", "expected a name without"},
    {"a key twice", BYTES(HEAD(N0, N3) A KIND_U32 D5 B KIND_U32 D5 A KIND_U8 "\1"), ASSAY_EFORMAT,
     "key 'a': found twice", "expected once"},
    {"an unknown type of a value", BYTES(HEAD(N0, N1) A KIND_NONE D5 D5), ASSAY_EFORMAT,
     "key 'a': found type 13", "expected 0 to 12"},
    {"no type of a value",
     BYTES(HEAD(N0, N1) N3 "aaa"
                           "\0\0\0"),
     ASSAY_EFORMAT, "key 'aaa': type at byte 35", "expected 4"},
    {"a short value", BYTES(HEAD(N0, N1) A KIND_U32 "\1\2\3"), ASSAY_EFORMAT,
     "key 'a': value at byte 37: found 3 bytes", "expected 1 elements of 4 bytes"},
    {"a string beyond the file", BYTES(HEAD(N0, N1) A KIND_TEXT N3 "ab"), ASSAY_EFORMAT,
     "key 'a': string at byte 45: found 2 bytes", "expected 3"},
    {"a string of 2^64 - 1 bytes", BYTES(HEAD(N0, N1) A KIND_TEXT MOST "ab"), ASSAY_EFORMAT,
     "key 'a': string", "expected 18446744073709551615"},
    {"a bool of 2", BYTES(HEAD(N0, N1) A KIND_BOOL "\2"), ASSAY_EFORMAT, "key 'a': element 0: found bool 2",
     "expected 0 or 1"},
    {"a bool of 2 in an array", BYTES(HEAD(N0, N1) A KIND_LIST KIND_BOOL N3 "\1\0\2"), ASSAY_EFORMAT,
     "key 'a': element 2: found bool 2", "expected 0 or 1"},
    {"an array of arrays", BYTES(HEAD(N0, N1) A KIND_LIST KIND_LIST N1 KIND_U8 N1 "\1"), ASSAY_EUNSUPPORTED,
     "key 'a': found an array of arrays", "expected an array of numbers, bools or strings"},
    {"an array of an unknown type", BYTES(HEAD(N0, N1) A KIND_LIST KIND_NONE N1 D5), ASSAY_EFORMAT,
     "key 'a': found element type 13", "expected 0 to 12"},
    {"an array without a count", BYTES(HEAD(N0, N1) A KIND_LIST KIND_U8 "\1"), ASSAY_EFORMAT,
     "key 'a': number of elements at byte 41: found 1 bytes", "expected 8"},
    {"an array longer than the file", BYTES(HEAD(N0, N1) A KIND_LIST KIND_U16 N3 "\1\0\2\0\3"), ASSAY_EFORMAT,
     "key 'a': found 3 elements of type u16", "expected at most the 2 that fit into the 5 bytes"},
    {"an array whose size overflows", BYTES(HEAD(N0, N1) A KIND_LIST KIND_F32 "\1\0\0\0\0\0\0\100" D5),
     ASSAY_EFORMAT, "found 4611686018427387905 elements of type f32", "expected at most the 1"},
    {"more strings than fit", BYTES(HEAD(N0, N1) A KIND_LIST KIND_TEXT N3 N0 N0), ASSAY_EFORMAT,
     "found 3 elements of type string", "expected at most the 2"},
    {"a short string in an array", BYTES(HEAD(N0, N1) A KIND_LIST KIND_TEXT N2 N1 "a" N3 "ab"), ASSAY_EFORMAT,
     "key 'a': string at byte 66: found 2 bytes", "expected 3"},
    {"an alignment of another type", BYTES(HEAD(N1, N1) ALIGNMENT KIND_U8 "\40" TENSOR_A TAIL), ASSAY_EFORMAT,
     "key 'general.alignment': found u8", "expected u32"},
    {"an array as alignment", BYTES(HEAD(N1, N1) ALIGNMENT KIND_LIST KIND_U32 N0 TENSOR_A TAIL),
     ASSAY_EFORMAT, "key 'general.alignment': found an array of u32", "expected u32"},
    {"an alignment of 0", BYTES(HEAD(N1, N1) ALIGNMENT KIND_U32 D0 TENSOR_A TAIL), ASSAY_EFORMAT,
     "key 'general.alignment': found 0", "expected a power of two from 8"},
    {"an alignment of 4", BYTES(HEAD(N1, N1) ALIGNMENT KIND_U32 D4 TENSOR_A TAIL), ASSAY_EFORMAT,
     "key 'general.alignment': found 4", "expected a power of two from 8"},
    {"an alignment of 24", BYTES(HEAD(N1, N1) ALIGNMENT KIND_U32 "\30\0\0\0" TENSOR_A TAIL), ASSAY_EFORMAT,
     "key 'general.alignment': found 24", "expected a power of two"},
    {"an alignment of 2^31", BYTES(HEAD(N1, N1) ALIGNMENT KIND_U32 "\0\0\0\200" TENSOR_A TAIL), ASSAY_EFORMAT,
     "key 'general.alignment': found 2147483648", "to 1048576"},
    {"a tensor without a name", BYTES(HEAD(N1, N0) N0 D1 N1 F32 N0 TAIL), ASSAY_EFORMAT,
     "name of a tensor at byte 24: found 0 bytes", "expected 1 to 255"},
    {"a tensor's name that is too long", BYTES(HEAD(N1, N0) N256 TAIL TAIL), ASSAY_EFORMAT,
     "name of a tensor at byte 24: found 256 bytes", "expected 1 to 255"},
    {"a tensor's name that is no UTF-8", BYTES(HEAD(N1, N0) N1 "\200" D1 N1 F32 N0 TAIL), ASSAY_EFORMAT,
     "name of a tensor at byte 24", "no UTF-8"},
    {"5 dimensions", BYTES(HEAD(N1, N0) A D5 N1 N1 N1 N1 N1 F32 N0 TAIL), ASSAY_EFORMAT,
     "tensor 'a': found 5 dimensions", "expected at most 4"},
    {"a dimension of 0", BYTES(HEAD(N1, N0) A D2 N32 N0 F32 N0 TAIL), ASSAY_EFORMAT,
     "tensor 'a': dimension 1: found 0 elements", "expected 1 to 9223372036854775807"},
    {"a negative dimension", BYTES(HEAD(N1, N0) A D1 MOST F32 N0 TAIL), ASSAY_EFORMAT,
     "tensor 'a': dimension 0: found 18446744073709551615 elements", "expected 1 to"},
    {"a product of dimensions that overflows", BYTES(HEAD(N1, N0) A D3 N4G N4G N4G F32 N0 TAIL),
     ASSAY_EFORMAT, "tensor 'a': found dimensions 4294967296 x 4294967296 x 4294967296 x 1 of type F32",
     "expected at most"},
    {"a size that overflows", BYTES(HEAD(N1, N0) A D1 BIG F32 N0 TAIL), ASSAY_EFORMAT,
     "tensor 'a': found dimensions 9223372036854775807 x 1", "expected at most 9223372036854775807 bytes"},
    {"an unknown type", BYTES(HEAD(N1, N0) A D1 N32 UNKNOWN N0 TAIL), ASSAY_EUNSUPPORTED,
     "tensor 'a': found type 43", "expected a type of ggml"},
    {"a removed type", BYTES(HEAD(N1, N0) A D1 N32 Q4_2 N0 TAIL), ASSAY_EUNSUPPORTED,
     "tensor 'a': found type 4 (Q4_2)", "which the format has removed"},
    {"a removed type of interleaved rows", BYTES(HEAD(N1, N0) A D1 N32 Q4_0_4_4 N0 TAIL), ASSAY_EUNSUPPORTED,
     "tensor 'a': found type 31 (Q4_0_4_4)", "which the format has removed"},
    {"a row that is no multiple of the block", BYTES(HEAD(N1, N0) A D2 N33 N32 Q4_0 N0 TAIL), ASSAY_EFORMAT,
     "tensor 'a': found rows of 33 elements of type Q4_0", "expected a multiple of its block of 32"},
    {"no offset", BYTES(HEAD(N1, N0) N3 "aaa" D1 N32 F32 D0), ASSAY_EFORMAT,
     "tensor 'aaa': offset at byte 51", "expected 8"},
    {"an unaligned offset", BYTES(HEAD(N1, N0) A D1 N2 F32 N3 TAIL), ASSAY_EFORMAT,
     "tensor 'a': found offset 3", "expected a multiple of 32"},
    {"an offset beyond the file", BYTES(HEAD(N1, N0) A D1 N2 F32 N4K TAIL), ASSAY_EFORMAT,
     "tensor 'a': found 8 bytes at offset 4096", "expected them to end in the"},
    {"an offset near 2^64", BYTES(HEAD(N1, N0) A D1 N2 F32 "\340\377\377\377\377\377\377\377" TAIL),
     ASSAY_EFORMAT, "tensor 'a': found 8 bytes at offset 18446744073709551584",
     "expected them to end in the"},
    {"data beyond the file", BYTES(HEAD(N1, N0) TENSOR_A ZEROS_32 ZEROS_32), ASSAY_EFORMAT,
     "tensor 'a': found 128 bytes at offset 0", "expected them to end in the"},
    {"no data", BYTES(HEAD(N1, N0) A D1 N1 F32 N0), ASSAY_EFORMAT, "tensor 'a': found 4 bytes at offset 0",
     "expected them to end in the 0 bytes of data"},
    {"tensors that overlap", BYTES(HEAD(N2, N0) TENSOR_A B D1 N1 F32 N32 TAIL), ASSAY_EFORMAT,
     "tensor 'b': found offset 32", "expected at least 128, the end of tensor 'a'"},
    {"tensors at one place", BYTES(HEAD(N2, N0) A D1 N1 F32 N0 B D1 N1 F32 N0 TAIL), ASSAY_EFORMAT,
     "found offset 0", "expected at least 4, the end of tensor"},
    {"a tensor twice", BYTES(HEAD(N2, N0) A D1 N1 F32 N0 A D1 N1 F32 N32 TAIL), ASSAY_EFORMAT,
     "tensor 'a': found twice", "expected once"},
    {"a part without the name of one", BYTES(HEAD(N0, N1) SPLIT_COUNT KIND_U16 "\3\0"), ASSAY_EFORMAT,
     "found file 1 of 3", "expected a name that ends in -00001-of-00003.gguf"},
    {"parts of a negative number",
     BYTES(HEAD(N0, N1) SPLIT_COUNT "\3\0\0\0"
                                    "\377\377"),
     ASSAY_EFORMAT, "key 'split.count': found a value of type i16",
     "expected an integer that is not negative"},
    {"a number of parts in an array", BYTES(HEAD(N0, N1) SPLIT_COUNT KIND_LIST KIND_U8 N1 "\1"),
     ASSAY_EFORMAT, "key 'split.count': found a value of type array of u8", "expected an integer"},
    {"no parts", BYTES(HEAD(N0, N1) SPLIT_COUNT KIND_U16 "\0\0"), ASSAY_EFORMAT, "key 'split.count': found 0",
     "expected 1 to 65535"},
    {"a part beyond their number", BYTES(HEAD(N0, N1) SPLIT_NO KIND_U16 "\1\0"), ASSAY_EFORMAT,
     "key 'split.no': found 1", "expected less than split.count, 1"},
    {"fewer tensors than all parts should have", BYTES(HEAD(N0, N1) SPLIT_TENSORS KIND_U32 D5), ASSAY_EFORMAT,
     "found 0 tensors in 1 files", "expected the 5 of key 'split.tensors.count'"},
};

START_TEST(each_defect_is_refused_by_name)
{
    const defect *d = &DEFECTS[_i];
    const char *path = support_write(support_tmpdir(), "defect.gguf", d->bytes, d->n);
    gguf *f = NULL;
    assay_error err = {0};
    const assay_status rc = gguf_open(path, &f, &err);
    ck_assert_msg(rc == d->status && !f, "%s: status %d, text %s", d->name, (int)rc, err.text);
    support_expect_error(&err, d->status, "defect.gguf: ", d->found, d->expected, NULL);
    ck_assert_int_eq(gguf_open(path, &f, NULL), d->status);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gguf/refused");
    TCase *t = tcase_create("all");
    tcase_add_loop_test(t, each_defect_is_refused_by_name, 0, (int)(sizeof DEFECTS / sizeof DEFECTS[0]));
    suite_add_tcase(suite, t);
    return support_run(suite);
}
