// SPDX-License-Identifier: Apache-2.0
//
// Breaks the folder rule on purpose: a test expects the rule to find it.
#pragma once

#include "filter/filter_codec.h"
