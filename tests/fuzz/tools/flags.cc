// SPDX-License-Identifier: Apache-2.0
//
// The flags that tools_fuzz.cc parses, like those of tamis_ldb.cc. In a folder
// "tools", as RunTool requires.
#include "tools/tamis_ldb/flags.h"

DEFINE_bool(hex, false, "");
DEFINE_bool(key_hex, false, "");
DEFINE_bool(value_hex, false, "");
DEFINE_string(from, "", "");
DEFINE_string(to, "", "");
DEFINE_int64(max_keys, -1, "");
