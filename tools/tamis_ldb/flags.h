// SPDX-License-Identifier: Apache-2.0
//
// The flags of tamis_ldb, described in flags.cc.
#pragma once

#include <gflags/gflags.h>

DECLARE_string(db);
DECLARE_string(column_family);
DECLARE_bool(hex);
DECLARE_bool(key_hex);
DECLARE_bool(value_hex);
DECLARE_bool(create_if_missing);
DECLARE_string(from);
DECLARE_string(to);
DECLARE_int64(max_keys);
DECLARE_bool(no_value);
DECLARE_bool(count_only);
DECLARE_string(comparator);
DECLARE_string(merge_operator);
DECLARE_string(walfile);
DECLARE_bool(header);
DECLARE_bool(print_value);
DECLARE_string(path);
DECLARE_string(checkpoint_dir);
DECLARE_string(wal_dir);
