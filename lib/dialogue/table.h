/* Our implementation of the serving ABI, for static linking.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TABLE_H
#define DIALOGUE_TABLE_H

#include <assay/serving.h>

const assay_serving *assay_serving_v2(void);

#endif
