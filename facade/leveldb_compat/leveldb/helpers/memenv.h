// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tamis/leveldb_compat.h>  // IWYU pragma: export
