// SPDX-License-Identifier: Apache-2.0
//
// Scans: a range, a prefix, backwards, and a snapshot that later writes do not
// change. Run: scans DIRECTORY
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include <tamis/db.h>
#include <tamis/slice_transform.h>
#include <tamis/table.h>

static void Check(const tamis::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

static void Show(const char* what, tamis::DB* db,
                 const tamis::ReadOptions& options, const char* from = "") {
  std::cout << what << ":";
  const std::unique_ptr<tamis::Iterator> it(db->NewIterator(options));
  for (it->Seek(from); it->Valid(); it->Next()) std::cout << " " << it->key();
  Check(it->status());
  std::cout << "\n";
}

int main(int argc, char** argv) {
  const std::string directory = argc > 1 ? argv[1] : "scans_db";
  tamis::Options options;
  options.create_if_missing = true;
  // Keys are <tenant>/<time>. Filters then have the tenants, too, so that the
  // scan of a tenant skips tables that have none of its keys.
  options.prefix_extractor.reset(tamis::NewFixedPrefixTransform(3));
  Check(tamis::DestroyDB(directory, options));
  std::unique_ptr<tamis::DB> db;
  Check(tamis::DB::Open(options, directory, &db));
  for (const char* key :
       {"a1/0900", "a1/1000", "a1/1100", "b2/0930", "b2/1030", "c3/1200"}) {
    Check(db->Put({}, key, ""));
  }

  Show("all", db.get(), {});

  // Bounds outlive the iterator; the upper one is not in the range.
  const tamis::Slice begin = "a1/1000";
  const tamis::Slice end = "b2/1000";
  tamis::ReadOptions range;
  range.iterate_lower_bound = &begin;
  range.iterate_upper_bound = &end;
  Show("from a1/1000 to b2/1000", db.get(), range);

  tamis::ReadOptions tenant;
  tenant.prefix_same_as_start = true;
  Show("tenant b2", db.get(), tenant, "b2/");

  // The newest entry of a tenant: the last one before the next prefix.
  const std::unique_ptr<tamis::Iterator> it(db->NewIterator({}));
  it->SeekForPrev("a1/9999");
  std::cout << "newest of a1: " << it->key() << "\n";
  Check(it->status());

  const tamis::ManagedSnapshot snapshot(db.get());
  Check(db->Delete({}, "c3/1200"));
  tamis::ReadOptions before;
  before.snapshot = snapshot.snapshot();
  Show("now", db.get(), {}, "b2/1");
  Show("at the snapshot", db.get(), before, "b2/1");
}
