/* What the harness's own loader makes of the checkpoint of a case, before an engine is asked about it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_CHECKPOINT_H
#define CONFORMANCE_EVALUATE_CHECKPOINT_H

#include "conformance/case/case.h"
#include "conformance/judge/verdict.h"

/* Opens and closes what c's kind takes from its checkpoint: config.json, safetensors and stop ids (logits,
 * generate, dialogue), tokenizer.json (tokenizer, dialogue).
 *
 *   CONF_CHECKPOINT_BROKEN   the loader refuses a file of it, or what its files say of each other
 *   CONF_CHECKPOINT_UNKNOWN  its family, or something in it, is not implemented: other engines may know it
 *   CONF_CHECKPOINT_SOUND    neither; also of a directory that holds neither config.json nor safetensors,
 * which is another format, and where memory does not suffice to tell
 *
 * conf_verdict_apply_checkpoint says what follows from it. */
conf_checkpoint conf_checkpoint_check(const conf_case *c);

#endif
