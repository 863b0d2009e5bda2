/* What the tests of the harness share: a directory of their own, recorded cases of the formula to break in
 * one place each, and running the program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_SUPPORT_H
#define CONFORMANCE_TESTS_SUPPORT_H

#include <check.h>
#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shapes of the recorded case. */
enum { CASE_B = 2, CASE_T = 5, CASE_N = 2, CASE_M = 4 };

/* Runs the suite as CK_VERBOSITY says and frees it. Returns main's exit status. */
int support_run(Suite *suite);

/* Fixtures of each test: make and remove a directory, and change into nothing. */
void support_setup(void);
void support_teardown(void);

/* A path inside the test's directory; lives until the test ends. */
const char *support_path(const char *format, ...) __attribute__((format(printf, 1, 2)));
void support_mkdir(const char *path);
void support_write_text(const char *path, const char *text);

/* Writes a sound case of kind logits or generate at `path`, whose checkpoint is the empty directory `model`
 * beside it, and returns path. */
const char *support_write_decoder(const char *path, const char *kind, const char *model);

/* Writes sound/a/logits.h5 and sound/generate.h5, which are sound for the engine of the tests, and
 * bad/off.h5, of which it diverges. */
void support_write_cases(void);

/* Adds to a case a run in the type `run`, "bfloat16" or "int8", that is FORMULA_NARROW away from the truth.
 */
void support_write_narrow(const char *path, const char *run);

/* Writes a sound case of kind rope. config: JSON. */
const char *support_write_rope(const char *path, const char *config);

/* Writes a file of HDF5's newest format and returns path: the dataset /x [60, 60] of int32 in 100 chunks,
 * whose index follows from what its axes may grow to, and the attributes a0 to a11, so many that a heap holds
 * them. */
const char *support_write_newest(const char *path, hsize_t n_rows, hsize_t n_cols, bool packed);

/* Writes at `path` an observation that agrees with the case at `golden`, and returns path: its run `run`,
 * "float32" or "truth", its tokens and its traces, as far as it has them. */
const char *support_observe(const char *golden, const char *run, const char *path);

/* Edits of an HDF5 file, by absolute name. Everything replaces what was there. */
void edit_remove(const char *path, const char *name);
void edit_i32(const char *path, const char *name, size_t rank, const size_t *shape, const int32_t *data);
void edit_f32(const char *path, const char *name, size_t rank, const size_t *shape, const float *data);
void edit_f64(const char *path, const char *name, size_t rank, const size_t *shape, const double *data);
/* Changes one element in place. */
void edit_element(const char *path, const char *name, size_t index, double value);
/* Stores the same numbers, rounded, in another type. */
void edit_retype(const char *path, const char *name, hid_t type);
/* float16 or bfloat16; the caller closes it. */
hid_t edit_narrow_type(bool brain, bool big);
void edit_texts(const char *path, const char *name, size_t n, const char *const *texts);
void edit_attribute(const char *path, const char *name, const char *text);
void edit_attribute_number(const char *path, const char *object, const char *name, double value);
void edit_remove_attribute(const char *path, const char *name);
/* For what has no function above: runs edit on the open file. */
void edit_file(const char *path, void (*edit)(hid_t file));

/* "<build tree>/conformance/tests/engines/.libs/<name>.so" */
const char *support_engine(const char *name);

/* What a run of the program left behind. */
typedef struct support_output {
    int code;
    char out[65536], err[65536];
} support_output;

/* Runs `assay <arguments>` through sh, in the test's directory. */
const support_output *support_assay(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with any shell command; $ASSAY is the program. */
const support_output *support_shell(const char *command);
/* `assay run` of a module of the tests, called by its name, that breaks the rule `fault` (engines/rule.h). */
const support_output *support_run_module(const char *module, const char *fault, const char *arguments);

/* Asserts that the program ended with this status, and shows what it wrote if not. */
void assert_code(const support_output *o, int code);

/* Asserts that a run of the module, which breaks no rule, over a file of this text ends for this reason: the
 * text breaks the format. path: in the test's directory. */
void assert_unsound(const char *module, const char *path, const char *text, const char *reason);

/* Asserts that text holds part, and shows both if not. */
void assert_holds(const char *text, const char *part);
void assert_lacks(const char *text, const char *part);

#endif
