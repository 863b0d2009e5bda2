/* How severe a failure is: the words and the order that README.md defines under "severity". The part of them
 * that needs a published checkpoint is for findings alone (observatory/findings/severity.py).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_JUDGE_SEVERITY_H
#define CONFORMANCE_JUDGE_SEVERITY_H

#include "conformance/judge/verdict.h"

#define CONF_SEVERITY_MAX 96

/* Writes "3.1e+04 times the bound, another best token in 5 of 35 rows"; empty if nothing was measured,
 * without rows if no rows of logits were compared. Returns text. */
const char *conf_severity_print(const conf_verdict *v, char text[CONF_SEVERITY_MAX]);

/* Orders failures: negative if `a` is more severe than `b`, 0 if they are alike. Wrong answers come first,
 * then crashes and hangs, then errors in place of answers, then cases that could not be judged; among these
 * the larger multiple of the bound, then the larger share of rows with another best token. */
int conf_severity_compare(const conf_verdict *a, const conf_verdict *b);

#endif
