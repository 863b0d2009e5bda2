/* Programs of threads for tests of textual cases, and the test module of streams that runs them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_PROGRAMS_H
#define CONFORMANCE_TESTS_PROGRAMS_H

#include "conformance/tests/support.h"

/* JSON of a vector, of a step of a program, and of a step that makes an array. */
#define VECTOR(id, more, steps, outcomes)                                                                    \
    "{\"id\":" #id "," more "\"input\":{\"program\":[" steps "]},\"expect\":{\"outcome\":[" outcomes "]}}"
#define ON(thread, rest) "{\"thread\":" #thread ",\"op\":" rest "}"
#define ARANGE(thread, name, n, more)                                                                        \
    ON(thread, "\"make\",\"as\":\"" name "\",\"fn\":\"arange\",\"n\":" #n more)

/* Test fixture, with support_teardown: a directory with cases/all.json, a copy of programs.json: group
 * g of five vectors, which correct streams pass. */
void programs_setup(void);

/* assay run of the test module of streams, with the rule `fault` broken; "none": no rule. */
const support_output *programs_run(const char *fault, const char *arguments);

#endif
