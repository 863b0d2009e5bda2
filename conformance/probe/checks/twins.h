/* Twins of prompts: requests that leave in a prompt cache what must not be found for the prompts of the
 * truth.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_TWINS_H
#define CONFORMANCE_PROBE_CHECKS_TWINS_H

#include "conformance/probe/run/run.h"

/* Asks prompts of the truth with their first tokens in another order: all later blocks of tokens are those of
 * the prompt, after others. Completions get the ids of a prompt and its answer, or, from a server that takes
 * no ids, their text, if the tokenizer reads it as these ids; chats get a conversation whose first message is
 * changed, if the template and the tokenizer make these ids of it. Nothing is judged here: a server that
 * finds blocks by their own tokens alone then answers the prompts themselves wrongly, and the checks that
 * compare answers with the truth say so. A quick probe asks those of the longest prompts. Called before any
 * other check asks these prompts. Fails as probe_send does, or with ASSAY_ENOMEM. */
assay_status probe_ask_twins(probe_run *r, assay_error *err);

#endif
