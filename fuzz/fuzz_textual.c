/* Input: a textual case, packed if it begins with the magic bytes of gzip.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/case.h"
#include "conformance/kinds/kinds.h"
#include "conformance/kinds/read.h"
#include "conformance/textual/threads.h"
#include "conformance/textual/threads_order.h"
#include "conformance/textual/threads_read.h"
#include "fuzz/fuzz.h"

#include <string.h>

/* Checks the preconditions of the replay. */
static void require_step(const conf_threads_program *program, size_t i)
{
    const conf_threads_step *s = &program->steps[i];
    fuzz_require(s->thread < program->n_threads && s->op < CONF_THREADS_N_OPS, "thread and op are known");
    fuzz_require(s->stream == CONF_THREADS_NONE || s->stream < i, "a stream is made before it is used");
    fuzz_require(s->scope == CONF_THREADS_NONE || s->scope < i, "so is that of a scope");
    fuzz_require(s->n_of <= CONF_THREADS_OPERANDS_MAX, "operands are bounded");
    for (size_t k = 0; k < s->n_of; k++)
        fuzz_require(s->of[k] < i && program->steps[s->of[k]].op == CONF_THREADS_MAKE &&
                         program->steps[s->of[k]].expect.result == CONF_THREADS_OK,
                     "an array is made before it is used");
    fuzz_require(s->expect.n <= CONF_THREADS_LENGTH_MAX, "values are bounded");
    fuzz_require((s->expect.result == CONF_THREADS_ERROR) == (s->expect.error != NULL),
                 "an error has a text");
    char text[64];
    conf_threads_step_print(text, sizeof text, program, i);
    fuzz_require(strlen(text) > 0, "a step has a name");
}

static void require_vector(const conf_case *c, size_t i)
{
    conf_vector_place place;
    conf_threads_program program;
    conf_strings unknown = {0};
    char name[CONF_VECTOR_NAME_MAX];
    const conf_json_at *at = conf_vector_find(&c->vectors, i, c->path, &place);
    conf_vector_print_name(name, &c->vectors.at[i]);
    fuzz_require(strlen(name) > 0 && strlen(name) + 1 < sizeof name, "a vector has a name that fits");
    fuzz_require(conf_threads_program_read(at, &program, &unknown, NULL) == ASSAY_OK,
                 "what was checked can be read again");
    for (size_t k = 0; k < program.n_steps; k++) require_step(&program, k);
    conf_threads_program_free(&program);
    conf_strings_free(&unknown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_make_directory("model");
    bool packed = size > 1 && data[0] == 0x1f && data[1] == 0x8b;
    const char *path = fuzz_write(packed ? "case.json.gz" : "case.json", data, size);
    conf_case *c = NULL;
    assay_error err = {0};
    assay_status rc = conf_case_read(path, &c, &err);
    if (rc != ASSAY_OK) {
        fuzz_require_refusal(rc, &err, c == NULL);
        return 0;
    }
    fuzz_require(conf_kind_of(c->kind)->textual, "the kind is a textual one");
    fuzz_require((c->vectors.n > 0) == !conf_kind_of(c->kind)->refusal, "what is replayed has vectors");
    size_t n_broken = 0;
    for (size_t i = 0; i < c->vectors.n; i++) {
        const conf_vector *vector = &c->vectors.at[i];
        n_broken += vector->broken != NULL;
        fuzz_require(!vector->broken || strstr(vector->broken, "groups["),
                     "what is broken is named by its place");
        if (c->kind == CONF_THREADS && !vector->broken) require_vector(c, i);
    }
    fuzz_require(n_broken == c->vectors.n_broken, "broken vectors are counted");
    fuzz_require(n_broken == 0 || n_broken < c->vectors.n, "what is replayed has a valid vector");
    conf_case_free(c);
    return 0;
}
