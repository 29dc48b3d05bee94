// SPDX-License-Identifier: Apache-2.0
//
// Counters that are incremented without being read: each Merge adds an operand,
// and reads and compactions add them up. Run: counters DIRECTORY
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include <tamis/db.h>
#include <tamis/merge_operator.h>

static void Check(const tamis::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

// Values are decimal numbers. The order in which operands are combined does not
// matter, so an AssociativeMergeOperator is enough.
class Sum : public tamis::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "example.Sum"; }
  bool Merge(const tamis::Slice&, const tamis::Slice* existing,
             const tamis::Slice& operand, std::string* result,
             tamis::Logger*) const override {
    try {
      long long sum = std::stoll(operand.ToString());
      if (existing != nullptr) sum += std::stoll(existing->ToString());
      *result = std::to_string(sum);
      return true;
    } catch (const std::exception&) {
      return false;  // the read fails with Corruption, and nothing is lost
    }
  }
};

int main(int argc, char** argv) {
  const std::string directory = argc > 1 ? argv[1] : "counters_db";
  tamis::Options options;
  options.create_if_missing = true;
  options.merge_operator = std::make_shared<Sum>();
  Check(tamis::DestroyDB(directory, options));
  std::unique_ptr<tamis::DB> db;
  Check(tamis::DB::Open(options, directory, &db));

  for (int i = 1; i <= 1000; ++i) {
    Check(db->Merge({}, i % 3 == 0 ? "visits/home" : "visits/about", "1"));
  }
  Check(db->Put({}, "visits/home", "10000"));  // a value to begin with
  Check(db->Merge({}, "visits/home", "5"));
  Check(db->Merge({}, "visits/home", "-2"));

  for (const char* key : {"visits/home", "visits/about"}) {
    std::string value;
    Check(db->Get({}, key, &value));
    std::cout << key << " " << value << "\n";
  }
  // The table that a flush writes has one value for each key.
  Check(db->Flush({}));
  std::string entries;
  db->GetProperty("rocksdb.estimate-num-keys", &entries);
  std::cout << entries << " keys\n";
}
