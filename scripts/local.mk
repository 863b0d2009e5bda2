# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += scripts/bench-diff scripts/bench-kernels scripts/bench-peers scripts/bench-servers scripts/bench-streams scripts/bench-tokenizer \
	scripts/bisect scripts/bisect-step scripts/check scripts/check-clients scripts/check-emulated scripts/check-probe scripts/check-serve \
	scripts/check-servers scripts/clients scripts/cluster scripts/common.sh scripts/e2e scripts/endtoend \
	scripts/families scripts/fuzz scripts/fuzz-file scripts/fuzz-files scripts/marked.py scripts/judging scripts/mlx-threads scripts/modules scripts/observe scripts/rates scripts/record scripts/run scripts/sample \
	scripts/scoreboard scripts/serve scripts/venvs.py

noinst_PROGRAMS += scripts/tests/limit
scripts_tests_limit_SOURCES = scripts/tests/limit.c
check_PROGRAMS += scripts/tests/write_case
scripts_tests_write_case_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
scripts_tests_write_case_LDADD = $(CONFORMANCE_TEST_LIBS)
TESTS += scripts/tests/bisect.test scripts/tests/cluster.test scripts/tests/endtoend.test scripts/tests/families.test scripts/tests/family_lists.test \
	scripts/tests/fixtures.test scripts/tests/format.test scripts/tests/formats.test scripts/tests/fuzz_files.test scripts/tests/limit.test scripts/tests/modules.test scripts/tests/own.test scripts/tests/own_broken.test scripts/tests/own_gguf.test scripts/tests/own_places.test scripts/tests/own_quantised.test \
	scripts/tests/rates.test scripts/tests/rooms.test scripts/tests/typical.test
EXTRA_DIST += scripts/tests/bisect.test scripts/tests/cluster.test \
	scripts/tests/endtoend.py scripts/tests/endtoend.test scripts/tests/families.test scripts/tests/family_lists.py scripts/tests/family_lists.test \
	scripts/tests/fixtures.test scripts/tests/format.test scripts/tests/formats.py scripts/tests/formats.test scripts/tests/fuzz_files.test scripts/tests/limit.test scripts/tests/modules.test scripts/tests/own.py scripts/tests/own.test scripts/tests/own_gguf.py scripts/tests/own_gguf.test scripts/tests/own_quantised.py scripts/tests/own_quantised.test scripts/tests/own_case.py \
	scripts/tests/broken_checkpoints.py scripts/tests/own_broken.py scripts/tests/own_broken.test \
	scripts/tests/own_checkpoints.py scripts/tests/own_places.py scripts/tests/own_places.test scripts/tests/rates.py scripts/tests/rates.test \
	scripts/tests/documents.py scripts/tests/rooms.py scripts/tests/rooms_python.py scripts/tests/rooms.test \
	scripts/tests/tap.py scripts/tests/tap.sh scripts/tests/typical.py scripts/tests/typical.test
