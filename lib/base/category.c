/* SPDX-License-Identifier: Apache-2.0 */
#include "base/category.h"

#include <utf8proc.h>

bool utf8_is_alphanumeric(uint32_t codepoint)
{
    const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)codepoint);
    return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
           (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO);
}
