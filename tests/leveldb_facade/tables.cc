// SPDX-License-Identifier: Apache-2.0
//
// Tables without a database.
#include <leveldb/comparator.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/table.h>
#include <leveldb/table_builder.h>

#include "program.h"

using namespace leveldb;

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Env* const env = Env::Default();
  const std::unique_ptr<const FilterPolicy> bloom(NewBloomFilterPolicy(10));
  Options options;
  options.filter_policy = bloom.get();
  WritableFile* out = nullptr;
  Check(env->NewWritableFile(path, &out));
  uint64_t size = 0;
  {
    TableBuilder builder(options, out);
    for (int i = 0; i < 2000; ++i) {
      builder.Add(Key(i), std::string(100, static_cast<char>('a' + i % 26)));
      if (i == 1000) builder.Flush();
    }
    Check(builder.status());
    std::cout << builder.NumEntries() << "\n";
    options.block_size = 1000;
    Check(builder.ChangeOptions(options));
    Check(builder.Finish());
    size = builder.FileSize();
    uint64_t on_disk = 0;
    Check(out->Close());
    Check(env->GetFileSize(path, &on_disk));
    std::cout << (size == on_disk) << (size > 10'000) << "\n";
  }
  delete out;

  RandomAccessFile* in = nullptr;
  Check(env->NewRandomAccessFile(path, &in));
  Table* table = nullptr;
  Check(Table::Open(options, in, size, &table));
  {
    const std::unique_ptr<Iterator> it(table->NewIterator(ReadOptions()));
    int n = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++n;
    std::cout << n << it->status().ToString() << "\n";
    it->Seek("key000999x");
    std::cout << it->key().ToString() << " " << it->value().ToString() << "\n";
    it->Prev();
    std::cout << it->key().ToString() << "\n";
  }
  const uint64_t first = table->ApproximateOffsetOf(Key(0));
  const uint64_t middle = table->ApproximateOffsetOf(Key(1000));
  const uint64_t end = table->ApproximateOffsetOf("z");
  std::cout << (first < 5000) << (middle > size / 4 && middle < size * 3 / 4)
            << (end > size / 2 && end <= size) << "\n";
  delete table;
  // Half of it is no table.
  std::cout << Table::Open(options, in, size / 2, &table).ok()
            << (table == nullptr) << "\n";
  delete in;

  Check(env->NewWritableFile(path + "_abandoned", &out));
  {
    TableBuilder builder(options, out);
    builder.Add("a", "b");
    builder.Abandon();
  }
  delete out;
  return 0;
}
