/* Opens the checkpoint of a case with Assay's own loader, before an engine does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_CHECKPOINT_H
#define CONFORMANCE_EVALUATE_CHECKPOINT_H

#include "conformance/case/case.h"
#include "conformance/judge/verdict.h"

/* Opens and closes the files that c's kind uses: config.json, safetensors and stop ids (logits,
 * generate, dialogue), tokenizer.json (tokenizer, dialogue).
 *
 *   CONF_CHECKPOINT_BROKEN   the loader refuses a file, the files contradict one another, or a file is not
 *   the recorded one (checksums.h)
 *   CONF_CHECKPOINT_UNKNOWN  its family, or a feature of it, is not implemented; other engines may
 *   support it
 *   CONF_CHECKPOINT_VALID    neither; also a directory without config.json and safetensors, which is
 *   another format, and where memory does not suffice to tell
 *
 * n_divisible is 0, and reason says why, unless the harness has read the ropes from the checkpoint: rows of
 * chunks differ where dynamic or longrope ropes have other frequencies, and are not judged, so a prompt is
 * divided only where the ropes are known. That holds for another format, too, and for the empty
 * directories of test engines; a test that needs divided prompts gives its case a checkpoint that the loader
 * reads. The placeholder tokens are unknown wherever n_divisible is 0: then prompts with inputs are not
 * divided. conf_verdict_apply_checkpoint says what follows from the state. */
conf_checkpoint conf_checkpoint_check(const conf_case *c);

#endif
