// SPDX-License-Identifier: Apache-2.0
//
// Writes tables with an SstFileWriter, ingests them, and reads them back.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>

#include "program.h"

using namespace rocksdb;

namespace {

void WriteTable(const Options& options, const std::string& file, int begin,
                int end, const std::string& value) {
  SstFileWriter writer(EnvOptions(), options);
  Check(writer.Open(file));
  for (int i = begin; i < end; ++i) Check(writer.Put(Key(i), value));
  const Status s = writer.Put(Key(begin), value);
  std::cout << "out of order: " << s.IsInvalidArgument() << "\n";
  ExternalSstFileInfo info;
  Check(writer.Finish(&info));
  std::cout << info.num_entries << " entries from " << info.smallest_key
            << " to " << info.largest_key << ", sequence "
            << info.sequence_number << "\n";
}

void Count(DB* db, ColumnFamilyHandle* family) {
  int keys = 0;
  std::string last;
  std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions(), family));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ++keys;
    last = it->value().ToString();
  }
  Check(it->status());
  std::cout << family->GetName() << ": " << keys << " keys, last value " << last
            << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Options options;
  options.create_if_missing = true;
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));
  const std::string one = path + "/one.external";
  const std::string two = path + "/two.external";
  const std::string three = path + "/three.external";
  WriteTable(options, one, 0, 1000, "one");
  WriteTable(options, two, 500, 1500, "two");

  Check(db->Put(WriteOptions(), Key(0), "put"));
  IngestExternalFileOptions ingest;
  Check(db->IngestExternalFile({one}, ingest));
  Check(db->IngestExternalFile({two}, ingest));
  std::string value;
  for (int key : {0, 499, 500, 1499}) {
    Check(db->Get(ReadOptions(), Key(key), &value));
    std::cout << Key(key) << " = " << value << "\n";
  }
  std::cout << "absent: "
            << db->Get(ReadOptions(), Key(1500), &value).IsNotFound() << "\n";

  ColumnFamilyHandle* other = nullptr;
  Check(db->CreateColumnFamily(ColumnFamilyOptions(), "other", &other));
  {
    SstFileWriter writer(EnvOptions(), options, other);
    Check(writer.Open(three));
    Check(writer.Put("a", "1"));
    Check(writer.Delete("b"));
    Check(writer.DeleteRange("c", "d"));
    Check(writer.Finish());
  }
  std::cout << "wrong family: "
            << db->IngestExternalFile({three}, ingest).IsInvalidArgument()
            << "\n";
  Check(db->Put(WriteOptions(), other, "b", "2"));
  Check(db->Put(WriteOptions(), other, "c1", "3"));
  Check(db->Put(WriteOptions(), other, "e", "4"));
  ingest.move_files = true;
  Check(db->IngestExternalFile(other, {three}, ingest));
  Count(db, db->DefaultColumnFamily());
  Count(db, other);
  std::cout << "missing file: "
            << db->IngestExternalFile({path + "/none"}, ingest).ok() << "\n";
  Check(db->DestroyColumnFamilyHandle(other));
  delete db;

  SstFileReader reader(options);
  Check(reader.Open(one));
  Check(reader.VerifyChecksum());
  std::unique_ptr<Iterator> it(reader.NewIterator(ReadOptions()));
  it->Seek(Key(998));
  for (; it->Valid(); it->Next()) std::cout << it->key().ToString() << "\n";
  std::cout << reader.GetTableProperties()->num_entries << " entries\n";
  return 0;
}
