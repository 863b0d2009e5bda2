/* Renders templates in tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_TESTS_RENDERING_H
#define TEMPLATE_TESTS_RENDERING_H

#include "base/tests/support.h"

/* The template renders this text, with variables n = 7, yes, no, xs = [3, 1, 2], d = {"a": 1, "b": "two"},
 * and messages ms. */
void assert_renders(const char *source, const char *text);

/* The template fails with this status, and the message contains the text. */
void assert_fails(const char *source, assay_status status, const char *text);

#endif
