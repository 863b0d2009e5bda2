# Behaviour on text, linked into every engine of ours.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += serving/libserving.la
serving_libserving_la_SOURCES = \
	serving/table.c
serving_libserving_la_CFLAGS = $(AM_CFLAGS)
