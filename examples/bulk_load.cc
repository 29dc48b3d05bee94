// SPDX-License-Identifier: Apache-2.0
//
// A bulk load: tables are written outside the database, sorted, and ingested at
// once, without log, memtable or compaction. Run: bulk_load DIRECTORY
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <tamis/db.h>
#include <tamis/sst_file_writer.h>

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

int main(int argc, char** argv) {
  const std::string directory = argc > 1 ? argv[1] : "bulk_load_db";
  tamis::Options options;
  options.create_if_missing = true;
  Check(tamis::DestroyDB(directory, options));
  std::unique_ptr<tamis::DB> db;
  Check(tamis::DB::Open(options, directory, &db));
  Check(db->Put({}, Key(5), "older"));

  // Tables are made beside the database, with its options: so a move is only a
  // change of names. Several threads could write one each.
  std::vector<std::string> files;
  for (int part = 0; part < 4; ++part) {
    files.push_back(directory + ".part" + std::to_string(part));
    tamis::SstFileWriter writer(options);
    Check(writer.Open(files.back()));
    for (int i = part * 25'000; i < (part + 1) * 25'000; ++i) {
      Check(writer.Put(Key(i), "loaded"));
    }
    Check(writer.Finish());
  }

  // All of them are visible and durable, or none.
  tamis::IngestExternalFileOptions ingest;
  ingest.move_files = true;
  Check(db->IngestExternalFile(files, ingest));

  std::string value;
  Check(db->Get({}, Key(5), &value));
  std::cout << Key(5) << " is " << value << "\n";
  int entries = 0;
  const std::unique_ptr<tamis::Iterator> it(db->NewIterator({}));
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++entries;
  Check(it->status());
  std::cout << entries << " entries\n";
}
