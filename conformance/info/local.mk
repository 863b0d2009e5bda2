# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/info/bounds.c conformance/info/bounds.h \
	conformance/info/case.c conformance/info/case.h \
	conformance/info/member.c conformance/info/member.h \
	conformance/info/plan.c conformance/info/plan.h \
	conformance/info/plan_layer.c conformance/info/plan_layer.h \
	conformance/info/plan_tower.c conformance/info/plan_tower.h \
	conformance/info/tensors.c conformance/info/tensors.h
