// SPDX-License-Identifier: Apache-2.0
//
// What a filter saves: reads of absent keys, counted with each kind of filter.
// Run: filters DIRECTORY
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include <tamis/db.h>
#include <tamis/filter_policy.h>
#include <tamis/perf_context.h>
#include <tamis/table.h>

static void Check(const tamis::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

static std::string Key(int i) {
  char text[16];
  std::snprintf(text, sizeof(text), "key%07d", i);
  return text;
}

static void Measure(const char* name, const tamis::FilterPolicy* policy,
                    const std::string& directory) {
  tamis::BlockBasedTableOptions table;
  table.filter_policy.reset(policy);
  tamis::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(tamis::NewBlockBasedTableFactory(table));
  Check(tamis::DestroyDB(directory, options));
  std::unique_ptr<tamis::DB> db;
  Check(tamis::DB::Open(options, directory, &db));
  for (int i = 0; i < 20'000; i += 2) Check(db->Put({}, Key(i), "value"));
  Check(db->Flush({}));

  // Odd keys are absent. The counters are those of this thread.
  tamis::PerfContext* const perf = tamis::get_perf_context();
  perf->Reset();
  std::string value;
  for (int i = 1; i < 20'000; i += 2) {
    if (!db->Get({}, Key(i), &value).IsNotFound()) std::exit(1);
  }
  std::cout << name << ": " << perf->bloom_sst_miss_count
            << " of 10000 lookups ended at the filter\n";
}

int main(int argc, char** argv) {
  const std::string directory = argc > 1 ? argv[1] : "filters_db";
  Measure("none", nullptr, directory);
  Measure("Bloom, 10 bits a key", tamis::NewBloomFilterPolicy(10), directory);
  // -1: also for flushes, which otherwise get the faster Bloom.
  Measure("Ribbon, the same rate in less space",
          tamis::NewRibbonFilterPolicy(10, -1), directory);
  Measure("a rate of 0.1 %, whatever it takes",
          tamis::NewFilterPolicy({.fpr = 0.001}), directory);
}
