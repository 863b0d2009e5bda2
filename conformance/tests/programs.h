/* Programs of threads for tests of textual cases, and the fake streams that run them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_PROGRAMS_H
#define CONFORMANCE_TESTS_PROGRAMS_H

#include "conformance/tests/support.h"

/* JSON of a vector, of a step of a program, and of one that makes an array. */
#define VECTOR(id, more, steps, outcomes)                                                                    \
    "{\"id\":" #id "," more "\"input\":{\"program\":[" steps "]},\"expect\":{\"outcome\":[" outcomes "]}}"
#define ON(thread, rest) "{\"thread\":" #thread ",\"op\":" rest "}"
#define ARANGE(thread, name, n, more)                                                                        \
    ON(thread, "\"make\",\"as\":\"" name "\",\"fn\":\"arange\",\"n\":" #n more)

/* A directory with cases/all.json, which is programs.json here: group g of five vectors, on which sound
 * streams agree. For a checked fixture, with support_teardown. */
void programs_setup(void);

/* assay run of the fake streams, which break the rule `fault`; "none": none. */
const support_output *programs_run(const char *fault, const char *arguments);

#endif
