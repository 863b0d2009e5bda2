/* The tokens of a template, as Jinja 3.1 divides it with trim_blocks and lstrip_blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_LEXER_H
#define TEMPLATE_LEXER_H

#include "template/values/value.h"

typedef enum tpl_token_kind {
    TPL_TOKEN_END,
    TPL_TOKEN_DATA,
    TPL_TOKEN_VARIABLE_BEGIN,
    TPL_TOKEN_VARIABLE_END,
    TPL_TOKEN_BLOCK_BEGIN,
    TPL_TOKEN_BLOCK_END,
    TPL_TOKEN_NAME,
    TPL_TOKEN_CONST, /* a string or a number */
    TPL_TOKEN_OPERATOR
} tpl_token_kind;

typedef struct tpl_token {
    tpl_token_kind kind;
    unsigned line;
    assay_text text; /* data, a name, an operator, or how a constant is written */
    tpl_value value; /* of a constant */
} tpl_token;

/* The tokens of source, which is valid UTF-8, ended by TPL_TOKEN_END. NULL after an error. */
const tpl_token *tpl_tokens(tpl *t, assay_text source);

#endif
