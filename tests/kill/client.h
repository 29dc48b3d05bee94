// SPDX-License-Identifier: Apache-2.0
//
// The database of four families that the killed process sets up and uses.
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

// One configuration of the database.
struct Setting {
  const char* name;
  void (*change)(Options* options, BlockBasedTableOptions* table);
  bool every_write_synced = false;  // otherwise one in 60
};
inline void PrintTo(const Setting& setting, std::ostream* out) {
  *out << setting.name;
}

Options OptionsOf(const Setting& setting);
// The descriptors of the families in the directory. The open creates missing
// ones, except the fourth.
std::vector<ColumnFamilyDescriptor> Descriptors(
    const Options& options, const std::vector<std::string>& names);
// *names is empty if there is no database yet.
Status ListFamilies(const std::string& directory,
                    std::vector<std::string>* names);

// Any thread, after Open; only one of them uses the fourth family.
class Client {
 public:
  explicit Client(Options options) : options_(std::move(options)) {}
  ~Client() {
    for (ColumnFamilyHandle* family : families_) delete family;
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Status Open(const std::string& directory);
  // REQUIRES, for all below: Open returned OK.
  Status Do(const Operation& operation, const WriteOptions& options);
  Status Close();
  DB* db() const { return db_.get(); }

 private:
  Status Write(const Operation& operation, const WriteOptions& options);

  const Options options_;
  std::unique_ptr<DB> db_;
  // The fourth is nullptr while its family does not exist.
  std::array<ColumnFamilyHandle*, kFamilies> families_{};
};

}  // namespace tamis::kill
