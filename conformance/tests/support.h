/* For the tests of the harness: a temporary directory, recorded cases of the formula model that tests
 * damage in one place, and running the program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_SUPPORT_H
#define CONFORMANCE_TESTS_SUPPORT_H

#include <check.h>
#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shapes of the recorded case: samples, prompt tokens, forced steps, greedy steps. */
enum { CASE_B = 2, CASE_T = 5, CASE_N = 2, CASE_M = 4 };

/* Runs the suite with the verbosity of CK_VERBOSITY and frees it. Returns main's exit status. */
int support_run(Suite *suite);

/* Fixtures of each test: make and remove the temporary directory; the working directory stays. */
void support_setup(void);
void support_teardown(void);

/* A path in the test's directory; valid until the test ends. */
const char *support_path(const char *format, ...) __attribute__((format(printf, 1, 2)));
void support_mkdir(const char *path);
void support_write_text(const char *path, const char *text);

/* Writes a valid case of kind logits or generate at `path`, whose checkpoint is the empty directory
 * `model` beside it, and returns path. */
const char *support_write_decoder(const char *path, const char *kind, const char *model);

/* Writes sound/a/logits.h5 and sound/generate.h5, which the fake engine passes, and bad/off.h5, where
 * it diverges. */
void support_write_cases(void);

/* Adds to a case a run in the type `run`, "bfloat16" or "int8", that is FORMULA_NARROW away from the
 * truth. */
void support_write_narrow(const char *path, const char *run);

/* Writes a case of kind preprocess with one vector, which an engine without serving functions skips. */
void support_write_sizes(const char *path);

/* Writes a valid case of kind rope, and returns path. config: JSON. */
const char *support_write_rope(const char *path, const char *config);

/* Writes a file of HDF5's newest format and returns path: the dataset /x [60, 60] of int32 in 100
 * chunks, whose kind of index follows from its maximum sizes n_rows and n_cols, and the attributes a0
 * to a11, so many that they are stored in a heap. */
const char *support_write_newest(const char *path, hsize_t n_rows, hsize_t n_cols, bool packed);

/* Writes at `path` an observation that agrees with the case at `golden`, and returns path: its run
 * `run`, "float32" or "truth", and its tokens and traces if it has them. */
const char *support_observe(const char *golden, const char *run, const char *path);

/* Edits of an HDF5 file, by absolute name. They replace existing members. */
void edit_remove(const char *path, const char *name);
void edit_i32(const char *path, const char *name, size_t rank, const size_t *shape, const int32_t *data);
void edit_f32(const char *path, const char *name, size_t rank, const size_t *shape, const float *data);
void edit_f64(const char *path, const char *name, size_t rank, const size_t *shape, const double *data);
/* Changes one element in place. */
void edit_element(const char *path, const char *name, size_t index, double value);
/* Stores the same numbers, rounded, in another type. */
void edit_retype(const char *path, const char *name, hid_t type);
/* The HDF5 type of float16, or bfloat16 if `brain`, big-endian if `big`; the caller closes it. */
hid_t edit_narrow_type(bool brain, bool big);
void edit_texts(const char *path, const char *name, size_t n, const char *const *texts);
void edit_attribute(const char *path, const char *name, const char *text);
void edit_attribute_number(const char *path, const char *object, const char *name, double value);
void edit_remove_attribute(const char *path, const char *name);
/* For edits without a function above: calls edit with the open file. */
void edit_file(const char *path, void (*edit)(hid_t file));

/* "<build tree>/conformance/tests/engines/<name>.so" */
const char *support_engine(const char *name);

/* Exit code and output of a run of the program. */
typedef struct support_output {
    int code;
    char out[65536], err[65536];
} support_output;

/* Runs `assay <arguments>` through sh, in the test's directory. */
const support_output *support_assay(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* As support_assay, for any shell command; $ASSAY is the program. */
const support_output *support_shell(const char *command);
/* `assay run` of a test module, found by its name, that breaks the rule `fault` (engines/rule.h). */
const support_output *support_run_module(const char *module, const char *fault, const char *arguments);

/* Asserts that the program ended with this status; on failure shows its output. */
void assert_code(const support_output *o, int code);

/* Writes text to path in the test's directory, and asserts that a run of it by the module, which
 * breaks no rule, fails for this reason: the text violates the format of cases. */
void assert_malformed(const char *module, const char *path, const char *text, const char *reason);

/* Assert that text contains, or does not contain, part; on failure show both. */
void assert_holds(const char *text, const char *part);
void assert_lacks(const char *text, const char *part);

#endif
