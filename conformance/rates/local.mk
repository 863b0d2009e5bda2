# How often the judge is wrong: a kernel library that makes sound engines of one engine, and the tally of their errors.
# scripts/rates runs both.
# SPDX-License-Identifier: Apache-2.0
# Rows of a table, without headers of their own: draw.c orders_*.c tally.c
check_PROGRAMS += conformance/rates/draw conformance/rates/orders.so conformance/rates/tally
conformance_rates_orders_so_SOURCES = \
	conformance/rates/order.c conformance/rates/order.h \
	conformance/rates/orders.c conformance/rates/orders.h \
	conformance/rates/orders_attention.c \
	conformance/rates/orders_matmul.c
conformance_rates_orders_so_LDFLAGS = $(MODULE_LINK)
conformance_rates_orders_so_LDADD = $(LIB_BASE)

conformance_rates_draw_LDADD = $(LIB_CONFORMANCE)

conformance_rates_tally_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS)
conformance_rates_tally_LDADD = $(LIB_CONFORMANCE)

CONFORMANCE_RATES_TESTS = conformance/rates/tests/check_order
check_PROGRAMS += $(CONFORMANCE_RATES_TESTS)
conformance_rates_tests_check_order_SOURCES = conformance/rates/tests/check_order.c conformance/rates/order.c
conformance_rates_tests_check_order_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_rates_tests_check_order_LDADD = $(CONFORMANCE_TEST_LIBS)
TESTS += $(CONFORMANCE_RATES_TESTS)
