# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/hdf5/attribute.c conformance/hdf5/attribute.h \
	conformance/hdf5/btree.c conformance/hdf5/btree.h \
	conformance/hdf5/bytes.c conformance/hdf5/bytes.h \
	conformance/hdf5/chunk.c conformance/hdf5/chunk.h \
	conformance/hdf5/data.c conformance/hdf5/data.h \
	conformance/hdf5/dataset.c conformance/hdf5/dataset.h \
	conformance/hdf5/file.c conformance/hdf5/file.h \
	conformance/hdf5/group.c conformance/hdf5/group.h \
	conformance/hdf5/hdf5.c conformance/hdf5/hdf5.h \
	conformance/hdf5/header.c conformance/hdf5/header.h \
	conformance/hdf5/heap.c conformance/hdf5/heap.h \
	conformance/hdf5/index.c conformance/hdf5/index.h \
	conformance/hdf5/index_array.c conformance/hdf5/index_array.h \
	conformance/hdf5/index_reader.c conformance/hdf5/index_reader.h \
	conformance/hdf5/rows.c conformance/hdf5/rows.h \
	conformance/hdf5/string.c conformance/hdf5/string.h \
	conformance/hdf5/text.c conformance/hdf5/text.h \
	conformance/hdf5/type.c conformance/hdf5/type.h \
	conformance/hdf5/types.h

CONFORMANCE_HDF5_TESTS = \
	conformance/hdf5/tests/check_chunks \
	conformance/hdf5/tests/check_collection \
	conformance/hdf5/tests/check_cut \
	conformance/hdf5/tests/check_dataset \
	conformance/hdf5/tests/check_filters \
	conformance/hdf5/tests/check_fractal \
	conformance/hdf5/tests/check_hdf5 \
	conformance/hdf5/tests/check_headers \
	conformance/hdf5/tests/check_hostile \
	conformance/hdf5/tests/check_index \
	conformance/hdf5/tests/check_index_damaged \
	conformance/hdf5/tests/check_messages \
	conformance/hdf5/tests/check_objects \
	conformance/hdf5/tests/check_regions \
	conformance/hdf5/tests/check_shared \
	conformance/hdf5/tests/check_stored \
	conformance/hdf5/tests/check_rows \
	conformance/hdf5/tests/check_rows_damaged \
	conformance/hdf5/tests/check_structure \
	conformance/hdf5/tests/check_superblock \
	conformance/hdf5/tests/check_symbols \
	conformance/hdf5/tests/check_types
check_PROGRAMS += $(CONFORMANCE_HDF5_TESTS)
TESTS += $(CONFORMANCE_HDF5_TESTS)
conformance_hdf5_tests_check_chunks_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_chunks_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_collection_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_collection_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_cut_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_cut_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_dataset_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_dataset_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_filters_CFLAGS = $(CONFORMANCE_TEST_CFLAGS) $(DEFLATE_CFLAGS)
conformance_hdf5_tests_check_filters_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_fractal_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_fractal_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_hdf5_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_hdf5_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_headers_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_headers_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_hostile_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_hostile_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_index_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_index_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_index_damaged_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_index_damaged_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_messages_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_messages_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_objects_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_objects_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_regions_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_regions_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_shared_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_shared_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_stored_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_stored_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_rows_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_rows_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_rows_damaged_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_rows_damaged_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pread
conformance_hdf5_tests_check_rows_damaged_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_structure_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_structure_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_superblock_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_superblock_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_symbols_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_symbols_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_hdf5_tests_check_types_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_hdf5_tests_check_types_LDADD = $(CONFORMANCE_TEST_LIBS)

# For scripts/bench-diff.
EXTRA_PROGRAMS += conformance/hdf5/tests/bench_files
CLEANFILES += conformance/hdf5/tests/bench_files
conformance_hdf5_tests_bench_files_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS)
conformance_hdf5_tests_bench_files_LDADD = $(HDF5_LIBS)
EXTRA_DIST += conformance/hdf5/tests/logits-plain.h5 conformance/hdf5/tests/rope-plain.h5
