/* Messages (Anthropic API reference, "Messages" and "Streaming Messages"); refusals of all endpoints.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/fields/rows.h"

static const probe_field rows_of_probe_messages_fields[] = {
    NEEDS("id", T, RULE(new_id)),
    NEEDS("type", T, WITH(is, "message")),
    NEEDS("role", T, WITH(is, "assistant")),
    NEEDS("model", T, RULE(model)),
    NEEDS("content", L, NULL, NULL, NULL, NULL),
    HOLDS("content[]", O),
    BREAKS("content[].type", T, WITH(is, "text|thinking|tool_use")),
    MAY("content[].text", T, BY(TEXTS)),
    MAY("content[].citations", L | Z, RULE(empty)),
    MAY("content[].thinking", T, BY(TEXTS)),
    MAY("content[].signature", T | Z, FREE("a code of the server's own")),
    MAY_BREAK("content[].id", T, RULE(new_id)),
    MAY("content[].name", T, BY(TEXTS)),
    MAY("content[].input", O, BY(TEXTS)),
    BREAKS("stop_reason", T | Z, BY(FINISH)),
    MAY("stop_sequence", T | Z, BY("protocol/{e}/{f}/*/stop-sequence")),
    MAY("stop_details", O | Z, RULE(empty)),
    NEEDS("usage", O, NULL, NULL, NULL, NULL),
    NEEDS("usage.input_tokens", I, BY(USAGE)),
    NEEDS("usage.output_tokens", I, BY(USAGE)),
    MAY("usage.cache_creation_input_tokens", I | Z, BY(USAGE)),
    MAY("usage.cache_read_input_tokens", I | Z, BY(CACHED)),
    HOLDS("usage.cache_creation", O | Z),
    MAY("usage.cache_creation.ephemeral_5m_input_tokens", I,
        FREE("how long a cache holds the tokens that are counted beside it")),
    MAY("usage.cache_creation.ephemeral_1h_input_tokens", I,
        FREE("how long a cache holds the tokens that are counted beside it")),
    MAY("usage.server_tool_use", O | Z, RULE(empty)),
    MAY("usage.service_tier", T | Z, FREE(DEPLOYED)),
    MAY("usage.inference_geo", T | Z, FREE(DEPLOYED)),
    MAY("container", O | Z, RULE(empty)),
    MAY("context_management", O | Z, RULE(empty)),
};
TABLE(probe_messages_fields);

static const probe_field rows_of_probe_messages_event_fields[] = {
    NEEDS("*:type", T, BY(GRAMMAR)),
    MAY("*:index", I, BY(GRAMMAR)),
    HOLDS("content_block_delta:delta", O),
    MAY("content_block_delta:delta.type", T, BY(GRAMMAR)),
    MAY("content_block_delta:delta.text", T, BY(TEXTS)),
    MAY("content_block_delta:delta.thinking", T, BY(TEXTS)),
    MAY("content_block_delta:delta.partial_json", T, BY(TEXTS)),
    MAY("content_block_delta:delta.signature", T, FREE("a code of the server's own")),
    HOLDS("message_delta:delta", O),
    HOLDS("error:error", O),
    MAY("error:error.type", T, FREE("the server's own words for an error")),
    MAY("error:error.message", T, BY("protocol/{e}/{f}/*/answer")),
};
TABLE(probe_messages_event_fields);

static const probe_field rows_of_probe_refusal_fields[] = {
    NEEDS("error", O, BY("protocol/{e}/refuses/body")),
    NEEDS("error.message", T, BY("protocol/{e}/refuses/body")),
    MAY("error.type", T | Z, FREE("the server's own words for an error")),
    MAY("error.param", T | Z, FREE("the server's own words for an error")),
    MAY("error.code", T | I | Z, FREE("the server's own words for an error")),
};
TABLE(probe_refusal_fields);

static const probe_field rows_of_probe_messages_refusal_fields[] = {
    NEEDS("error", O, BY("protocol/{e}/refuses/body")),
    NEEDS("error.message", T, BY("protocol/{e}/refuses/body")),
    MAY("error.type", T | Z, FREE("the server's own words for an error")),
    MAY("error.param", T | Z, FREE("the server's own words for an error")),
    MAY("error.code", T | I | Z, FREE("the server's own words for an error")),
    NEEDS("type", T, BY("protocol/{e}/refuses/body")),
    MAY("request_id", T | Z, FREE(DEPLOYED)),
};
TABLE(probe_messages_refusal_fields);
