# Rows of a table, without headers of their own: caches.c conv.c experts.c heads.c images.c kept.c list.c media.c numbers.c parts.c plans.c samples.c seams*.c shift.c states.c stored/changes.c stored/table.c table_*.c threads.c towers.c
# A fastpath with faults to plant; conformance/tests/faults.test checks that cases catch each.
# SPDX-License-Identifier: Apache-2.0
FAULT_SEAMS = -Wl,--wrap=fp_attend,--wrap=fp_choose_experts,--wrap=fp_delta_run,--wrap=fp_head_scale_run,--wrap=fp_keys_widen,--wrap=fp_kernels_pick,--wrap=fp_linear_run,--wrap=fp_model_has_same_rope,--wrap=fp_steps_run \
	-Wl,--wrap=array_list_open,--wrap=array_list_realise,--wrap=fp_forward,--wrap=fp_norm_run \
	-Wl,--wrap=queue_take_error,--wrap=stream_default \
	-Wl,--wrap=fp_model_open,--wrap=fp_session_join,--wrap=fp_session_limit,--wrap=fp_session_step \
	-Wl,--wrap=fp_page_is_exclusive,--wrap=fp_session_rewind,--wrap=fp_view_key_range \
	-Wl,--wrap=fp_state_advance,--wrap=fp_state_free,--wrap=fp_state_put,--wrap=fp_state_reserve \
	-Wl,--wrap=plan_derive,--wrap=rope_tables \
	-Wl,--wrap=fp_layer_run,--wrap=fp_layout_make,--wrap=fp_sample_place,--wrap=fp_tower_deepstack \
	-Wl,--wrap=fp_tiles_rows,--wrap=fp_tiles_join,--wrap=fp_sample_see,--wrap=fp_gate_value \
	-Wl,--wrap=fp_crops_open,--wrap=fp_crops_row,--wrap=fp_taps_find,--wrap=fp_audio_padded,--wrap=medium_pixels,--wrap=medium_time,--wrap=plan_convolution_before,--wrap=positions_fill \
	-Wl,--wrap=serve_completion_open,--wrap=serve_completion_push,--wrap=serve_detokenizer_open \
	-Wl,--wrap=serve_form_chat,--wrap=serve_form_messages,--wrap=serve_reasoning_feed \
	-Wl,--wrap=serve_reasoning_start,--wrap=serve_reply_end,--wrap=serve_reply_open \
	-Wl,--wrap=serve_response_chunk,--wrap=serve_response_open \
	-Wl,--wrap=stop_set_ids,--wrap=stop_set_origin

check_LIBRARIES += conformance/faults/libfaults.a
check_PROGRAMS += conformance/faults/faults.so
conformance_faults_libfaults_a_SOURCES = \
	conformance/faults/caches.c \
	conformance/faults/conv.c \
	conformance/faults/experts.c \
	conformance/faults/fault.h \
	conformance/faults/heads.c \
	conformance/faults/image_fault.h \
	conformance/faults/images.c \
	conformance/faults/kept.c \
	conformance/faults/media.c \
	conformance/faults/numbers.c \
	conformance/faults/parts.c \
	conformance/faults/plans.c \
	conformance/faults/samples.c \
	conformance/faults/shift.c \
	conformance/faults/softmax.c conformance/faults/softmax.h \
	conformance/faults/states.c \
	conformance/faults/stored/changes.c conformance/faults/stored/stored.h conformance/faults/stored/table.c \
	conformance/faults/fault.c \
	conformance/faults/table_inputs.c \
	conformance/faults/table_models.c \
	conformance/faults/table_text.c \
	conformance/faults/threads.c \
	conformance/faults/towers.c
conformance_faults_libfaults_a_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)

conformance_faults_faults_so_SOURCES = conformance/faults/seams.c conformance/faults/seams_images.c \
	conformance/faults/seams_serving.c \
	conformance/faults/seams_threads.c fastpath/session/engine.c
conformance_faults_faults_so_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
conformance_faults_faults_so_LDFLAGS = $(ENGINE_LINK) $(FAULT_SEAMS)
conformance_faults_faults_so_LDADD = conformance/faults/libfaults.a $(LIB_FASTPATH) $(LIB_DIALOGUE)

check_PROGRAMS += conformance/faults/list
conformance_faults_list_CFLAGS = $(AM_CFLAGS)
conformance_faults_list_LDADD = conformance/faults/libfaults.a $(LIB_FASTPATH)
