// SPDX-License-Identifier: Apache-2.0
//
// A database of four families as the process that is to be killed sets it up
// and uses it.
#pragma once

#include <array>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tamis/db.h"

#include "tests/kill/operations.h"

namespace tamis::kill {

// One way to set the database up.
struct Setting {
  const char* name;
  void (*change)(Options* options, BlockBasedTableOptions* table);
  bool every_write_synced = false;  // otherwise one in 60
};
inline void PrintTo(const Setting& setting, std::ostream* out) {
  *out << setting.name;
}

Options OptionsOf(const Setting& setting);
// Of the families that the directory holds; those that are missing but the
// fourth are made by the open.
std::vector<ColumnFamilyDescriptor> Descriptors(
    const Options& options, const std::vector<std::string>& names);
// Empty where there is no database yet.
Status ListFamilies(const std::string& directory,
                    std::vector<std::string>* names);

// Threads: any, after Open; the fourth family is that of one of them.
class Client {
 public:
  explicit Client(Options options) : options_(std::move(options)) {}
  ~Client() {
    for (ColumnFamilyHandle* family : families_) delete family;
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Status Open(const std::string& directory);
  // REQUIRES: the open returned OK, for all below
  Status Do(const Operation& operation, const WriteOptions& options);
  Status Close();
  DB* db() const { return db_.get(); }

 private:
  Status Write(const Operation& operation, const WriteOptions& options);

  const Options options_;
  std::unique_ptr<DB> db_;
  // Of the fourth, nullptr while it does not exist.
  std::array<ColumnFamilyHandle*, kFamilies> families_{};
};

}  // namespace tamis::kill
