/* Assay's implementation of the serving ABI, for programs that link it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TABLE_H
#define DIALOGUE_TABLE_H

#include <assay/serving.h>

/* Never NULL, never freed. */
const assay_serving *assay_serving_v2(void);

#endif
