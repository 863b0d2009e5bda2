# Behaviour on text, linked into every engine of ours.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += serving/libserving.la
serving_libserving_la_SOURCES = \
	serving/arguments.c serving/arguments.h \
	serving/breach.c serving/breach.h \
	serving/bytes.c serving/bytes.h \
	serving/completion.c serving/completion.h \
	serving/encoders.c serving/encoders.h \
	serving/gemma_object.c serving/gemma_object.h \
	serving/grammar.c serving/grammar.h serving/grammar_parts.h \
	serving/grammar_chat.c \
	serving/grammar_items.c serving/grammar_items.h \
	serving/grammar_messages.c \
	serving/grammar_parts.c \
	serving/grammar_responses.c \
	serving/json_value.c serving/json_value.h \
	serving/markers.c serving/markers.h \
	serving/python_literal.c serving/python_literal.h \
	serving/python_string.c serving/python_string.h \
	serving/reasoning.c serving/reasoning.h serving/reasoning_rules.h \
	serving/reasoning_channel.c \
	serving/reasoning_harmony.c \
	serving/reasoning_think.c \
	serving/reply.c serving/reply.h \
	serving/response.c serving/response.h serving/response_form.h \
	serving/response_chat.c \
	serving/response_messages.c \
	serving/response_request.c serving/response_request.h \
	serving/response_responses.c \
	serving/sampler.c serving/sampler.h \
	serving/span.c serving/span.h \
	serving/special.c serving/special.h \
	serving/sse.c serving/sse.h \
	serving/table.c serving/table.h \
	serving/text.c serving/text.h \
	serving/tokenizing.c serving/tokenizing.h \
	serving/tools.c serving/tools.h serving/tools_parts.h \
	serving/tools_auto.c serving/tools_auto.h \
	serving/tools_auto_passes.c \
	serving/tools_deepseek.c \
	serving/tools_deepseek_v4.c \
	serving/tools_formats.c \
	serving/tools_function.c serving/tools_function.h \
	serving/tools_functionary.c \
	serving/tools_gemma4.c \
	serving/tools_glm47.c \
	serving/tools_granite.c \
	serving/tools_harmony.c \
	serving/tools_hermes.c \
	serving/tools_invoke.c serving/tools_invoke.h \
	serving/tools_json.c \
	serving/tools_kimi.c \
	serving/tools_list.c serving/tools_list.h \
	serving/tools_llama.c \
	serving/tools_minimax.c \
	serving/tools_mistral.c \
	serving/tools_nemotron.c \
	serving/tools_once.c serving/tools_once.h \
	serving/tools_qwen.c \
	serving/tools_qwen3_xml.c \
	serving/tools_request.c serving/tools_request.h \
	serving/tools_thoughts.c serving/tools_thoughts.h \
	serving/tools_types.c serving/tools_types.h \
	serving/tools_value.c serving/tools_value.h \
	serving/tools_xlam.c \
	serving/xml_functions.c serving/xml_functions.h \
	serving/xml_tag.c serving/xml_tag.h
# No product is contracted with a sum: a sampler gives the same bits on every machine.
serving_libserving_la_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) -ffp-contract=off

SERVING_TESTS = \
	serving/tests/check_completion \
	serving/tests/check_encoders \
	serving/tests/check_grammar \
	serving/tests/check_grammar_changes \
	serving/tests/check_markers \
	serving/tests/check_python_literal \
	serving/tests/check_reasoning \
	serving/tests/check_reasoning_modes \
	serving/tests/check_reply \
	serving/tests/check_reply_memory \
	serving/tests/check_response \
	serving/tests/check_response_bodies \
	serving/tests/check_response_memory \
	serving/tests/check_response_request \
	serving/tests/check_sampler \
	serving/tests/check_span \
	serving/tests/check_special \
	serving/tests/check_sse \
	serving/tests/check_text \
	serving/tests/check_tokenizing \
	serving/tests/check_tools \
	serving/tests/check_tools_auto \
	serving/tests/check_tools_formats \
	serving/tests/check_tools_linear \
	serving/tests/check_tools_lists \
	serving/tests/check_tools_sections \
	serving/tests/check_tools_sequences \
	serving/tests/check_tools_types \
	serving/tests/check_tools_variants \
	serving/tests/check_tools_xml
EXTRA_DIST += serving/tests/streams serving/tests/vectors
check_PROGRAMS += $(SERVING_TESTS)
TESTS += $(SERVING_TESTS)
SERVING_TEST_LIBS = serving/libserving.la $(TEST_LIBS)
ANGLES = serving/tests/angles.c serving/tests/angles.h
serving_tests_check_response_SOURCES = serving/tests/check_response.c $(ANGLES)
serving_tests_check_response_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_response_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_response_bodies_SOURCES = serving/tests/check_response_bodies.c $(ANGLES)
serving_tests_check_response_bodies_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_response_bodies_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_response_memory_SOURCES = serving/tests/check_response_memory.c $(ANGLES)
serving_tests_check_response_memory_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_response_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
serving_tests_check_response_memory_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_response_request_SOURCES = serving/tests/check_response_request.c $(ANGLES)
serving_tests_check_response_request_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_response_request_LDADD = $(SERVING_TEST_LIBS)
check_PROGRAMS += serving/tests/write_responses
serving_tests_write_responses_SOURCES = serving/tests/write_responses.c $(ANGLES)
serving_tests_write_responses_CFLAGS = $(TEST_CFLAGS)
serving_tests_write_responses_LDADD = $(SERVING_TEST_LIBS)
READS = \
	serving/tests/pieces.c serving/tests/pieces.h \
	serving/tests/reads.c serving/tests/reads.h
serving_tests_check_completion_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_completion_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_grammar_SOURCES = \
	serving/tests/check_grammar.c \
	serving/tests/stream.c serving/tests/stream.h \
	serving/tests/stream_edits.c
serving_tests_check_grammar_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_grammar_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_grammar_changes_SOURCES = \
	serving/tests/check_grammar_changes.c \
	serving/tests/stream.c serving/tests/stream.h
serving_tests_check_grammar_changes_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_grammar_changes_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_reasoning_SOURCES = serving/tests/check_reasoning.c $(READS)
serving_tests_check_reasoning_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_reasoning_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_encoders_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_encoders_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=tokenizer_encoder_open,--wrap=tokenizer_encoder_free
serving_tests_check_encoders_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_markers_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_markers_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_reasoning_modes_SOURCES = serving/tests/check_reasoning_modes.c $(READS)
serving_tests_check_reasoning_modes_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_reasoning_modes_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_reply_SOURCES = \
	serving/tests/check_reply.c \
	serving/tests/pieces.c serving/tests/pieces.h
serving_tests_check_reply_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_reply_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_reply_memory_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_reply_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
serving_tests_check_reply_memory_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_sampler_CFLAGS = $(TEST_CFLAGS) $(JSONC_CFLAGS)
serving_tests_check_sampler_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_span_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_span_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_special_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_special_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_sse_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_sse_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_text_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_text_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_tokenizing_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_tokenizing_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_python_literal_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_python_literal_LDADD = $(SERVING_TEST_LIBS)
TOOL_READS = \
	serving/tests/pieces.c serving/tests/pieces.h \
	serving/tests/tool_reads.c serving/tests/tool_reads.h
serving_tests_check_tools_SOURCES = serving/tests/check_tools.c $(TOOL_READS)
serving_tests_check_tools_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_tools_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_tools_auto_SOURCES = serving/tests/check_tools_auto.c $(TOOL_READS)
serving_tests_check_tools_auto_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_tools_auto_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_tools_formats_SOURCES = serving/tests/check_tools_formats.c $(TOOL_READS)
serving_tests_check_tools_formats_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_tools_formats_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_tools_linear_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_tools_linear_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=memchr,--wrap=memcmp,--wrap=memmove,--wrap=serve_text_space,--wrap=serve_span_word
serving_tests_check_tools_linear_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_tools_lists_SOURCES = serving/tests/check_tools_lists.c $(TOOL_READS)
serving_tests_check_tools_lists_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_tools_lists_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_tools_sections_SOURCES = serving/tests/check_tools_sections.c $(TOOL_READS)
serving_tests_check_tools_sections_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_tools_sections_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_tools_sequences_SOURCES = serving/tests/check_tools_sequences.c $(TOOL_READS)
serving_tests_check_tools_sequences_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_tools_sequences_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_tools_types_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_tools_types_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_tools_variants_SOURCES = serving/tests/check_tools_variants.c $(TOOL_READS)
serving_tests_check_tools_variants_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_tools_variants_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_tools_xml_SOURCES = serving/tests/check_tools_xml.c $(TOOL_READS)
serving_tests_check_tools_xml_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_tools_xml_LDADD = $(SERVING_TEST_LIBS)
