# How often the judge is wrong: a kernel library that makes sound engines of one engine, and the tally of their errors.
# scripts/rates runs both.
# SPDX-License-Identifier: Apache-2.0
# Rows of a table, without headers of their own: orders_*.c tally.c
check_PROGRAMS += conformance/rates/orders.so conformance/rates/tally
conformance_rates_orders_so_SOURCES = \
	conformance/rates/order.c conformance/rates/order.h \
	conformance/rates/orders.c conformance/rates/orders.h \
	conformance/rates/orders_attention.c \
	conformance/rates/orders_matmul.c
conformance_rates_orders_so_LDFLAGS = $(MODULE_LINK)
conformance_rates_orders_so_LDADD = $(LIB_BASE)

conformance_rates_tally_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS)
conformance_rates_tally_LDADD = $(LIB_CONFORMANCE)
