// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/flags.h"

#include "tools/command_table.h"

using tamis::Among;
using tamis::AtLeast;

TAMIS_FLAG(string, db, "", "DIR", "the database's directory");
TAMIS_FLAG(string, wal_dir, "", "DIR",
           "the directory of the logs; empty: the database's");
TAMIS_FLAG(string, column_family, "default", "NAME", "the family of the keys");
TAMIS_FLAG(bool, hex, false, "", "keys and values are 0x and hex digits");
TAMIS_FLAG(bool, key_hex, false, "", "keys are 0x and hex digits");
TAMIS_FLAG(bool, value_hex, false, "", "values are 0x and hex digits");
TAMIS_FLAG(bool, create_if_missing, false, "",
           "make the database when there is none");
TAMIS_FLAG(string, from, "", "KEY", "the first key; empty: all from the first");
TAMIS_FLAG(string, to, "", "KEY", "the key before which it ends; empty: none");
TAMIS_FLAG(int64, max_keys, -1, "N", "at most this many keys; -1: all",
           AtLeast(-1));
TAMIS_FLAG(bool, no_value, false, "", "keys alone");
TAMIS_FLAG(bool, count_only, false, "", "only how many there are");
TAMIS_FLAG(string, comparator, "bytewise", "NAME",
           "the order of keys of what is created, or where the database does "
           "not say",
           Among({"bytewise", "reverse"}));
TAMIS_FLAG(string, merge_operator, "", "NAME",
           "stringappend, uint64add, max, or their whole names");
TAMIS_FLAG(string, walfile, "", "LOG", "the log");
TAMIS_FLAG(bool, header, false, "", "first a line that names the columns");
TAMIS_FLAG(bool, print_value, false, "", "values too");
TAMIS_FLAG(string, path, "", "MANIFEST",
           "this MANIFEST in place of the current one of --db");
TAMIS_FLAG(string, checkpoint_dir, "", "DIR", "the directory to make");
