// SPDX-License-Identifier: Apache-2.0
//
// A module that is loaded and unloaded while it has a database
// (unload_test.cc).
#include "tests/process/unload/plugin.h"

#include <string>

#include "tamis/db.h"

namespace {

tamis::DB* Of(void* db) { return static_cast<tamis::DB*>(db); }

std::string Key(int i) { return "key" + std::to_string(i); }

}  // namespace

void* PluginOpen(const char* directory) {
  tamis::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  options.level0_file_num_compaction_trigger = 2;
  tamis::DB* db = nullptr;
  return tamis::DB::Open(options, directory, &db).ok() ? db : nullptr;
}

bool PluginPut(void* db, int from, int to) {
  for (int i = from; i < to; ++i) {
    if (!Of(db)->Put({}, Key(i), std::string(200, 'v')).ok()) return false;
  }
  return true;
}

bool PluginHas(void* db, int from, int to) {
  std::string value;
  for (int i = from; i < to; ++i) {
    if (!Of(db)->Get({}, Key(i), &value).ok()) return false;
  }
  return true;
}

bool PluginClose(void* db) {
  const bool closed = Of(db)->Close().ok();
  delete Of(db);
  return closed;
}
