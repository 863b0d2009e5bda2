/* Members that hold a number, a switch, or texts. Each function is given the value of the member, which is
 * not null, and returns as those of reading.h do.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_VALUES_H
#define SERVER_REQUEST_VALUES_H

#include "server/request/reading.h"

assay_status server_read_model(server_reading *r, json_object *value);
assay_status server_read_stream(server_reading *r, json_object *value);
assay_status server_read_stream_options(server_reading *r, json_object *value);
assay_status server_read_max_tokens(server_reading *r, json_object *value);
assay_status server_read_max_completion_tokens(server_reading *r, json_object *value);
assay_status server_read_max_output_tokens(server_reading *r, json_object *value);
assay_status server_read_temperature(server_reading *r, json_object *value);
assay_status server_read_top_p(server_reading *r, json_object *value);
assay_status server_read_top_k(server_reading *r, json_object *value);
assay_status server_read_min_p(server_reading *r, json_object *value);
assay_status server_read_repetition_penalty(server_reading *r, json_object *value);
assay_status server_read_seed(server_reading *r, json_object *value);
assay_status server_read_n(server_reading *r, json_object *value);
assay_status server_read_best_of(server_reading *r, json_object *value);
assay_status server_read_stop(server_reading *r, json_object *value);
assay_status server_read_stop_sequences(server_reading *r, json_object *value);
assay_status server_read_ignore_eos(server_reading *r, json_object *value);

/* Reports. */
assay_status server_read_logprobs(server_reading *r, json_object *value); /* chat completions: a switch */
assay_status server_read_logprobs_count(server_reading *r, json_object *value); /* completions: how many */
assay_status server_read_top_logprobs(server_reading *r, json_object *value);
assay_status server_read_prompt_logprobs(server_reading *r, json_object *value);
assay_status server_read_echo(server_reading *r, json_object *value);
assay_status server_read_token_ids(server_reading *r, json_object *value);
assay_status server_read_ids_as_tokens(server_reading *r, json_object *value);
assay_status server_read_include(server_reading *r, json_object *value); /* Responses */

/* The template. */
assay_status server_read_template_arguments(server_reading *r, json_object *value);
assay_status server_read_enable_thinking(server_reading *r, json_object *value);
assay_status server_read_thinking(server_reading *r, json_object *value); /* Messages */
assay_status server_read_generation_prompt(server_reading *r, json_object *value);
assay_status server_read_add_special(server_reading *r, json_object *value);
assay_status server_read_tool_choice(server_reading *r, json_object *value);
assay_status server_read_parallel_calls(server_reading *r, json_object *value);
assay_status server_read_text_format(server_reading *r, json_object *value); /* Responses: text */

#endif
