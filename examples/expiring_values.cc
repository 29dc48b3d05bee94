// SPDX-License-Identifier: Apache-2.0
//
// Values that expire: each begins with a date, and compactions remove those
// that are too old, by a compaction filter. Reads must not rely on it, because
// a compaction comes when it comes. (DBWithTTL has this ready-made.) Run:
// expiring_values DIRECTORY
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include <tamis/compaction_filter.h>
#include <tamis/db.h>

static void Check(const tamis::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

class DropBefore : public tamis::CompactionFilter {
 public:
  explicit DropBefore(std::string date) : date_(std::move(date)) {}
  const char* Name() const override { return "example.DropBefore"; }
  // Returns whether to remove the entry. Called by several threads.
  bool Filter(int, const tamis::Slice&, const tamis::Slice& value, std::string*,
              bool*) const override {
    return value.ToString() < date_;
  }

 private:
  const std::string date_;
};

int main(int argc, char** argv) {
  const std::string directory = argc > 1 ? argv[1] : "expiring_values_db";
  const DropBefore filter("2026-06-01");
  tamis::Options options;
  options.create_if_missing = true;
  options.compaction_filter = &filter;  // must outlive the database
  Check(tamis::DestroyDB(directory, options));
  std::unique_ptr<tamis::DB> db;
  Check(tamis::DB::Open(options, directory, &db));
  Check(db->Put({}, "a", "2026-01-15 early"));
  Check(db->Put({}, "b", "2026-07-20 late"));
  Check(db->Put({}, "c", "2026-05-31 the last day before"));

  const auto show = [&](const char* when) {
    std::cout << when << ":";
    const std::unique_ptr<tamis::Iterator> it(db->NewIterator({}));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      std::cout << " " << it->key();
    }
    Check(it->status());
    std::cout << "\n";
  };
  show("before");
  Check(db->CompactRange({}, nullptr, nullptr));
  show("after a compaction");
}
