// SPDX-License-Identifier: Apache-2.0
//
// leveldb::TableBuilder and leveldb::Table over SstFileWriter and
// SstFileReader: the file is one that a database of Tamis's can ingest.
#include <memory>

#include <leveldb/comparator.h>
#include <leveldb/dumpfile.h>
#include <leveldb/env.h>
#include <leveldb/table.h>
#include <leveldb/table_builder.h>

#include "tamis/sst_file_reader.h"
#include "tamis/sst_file_writer.h"

#include "facade/leveldb/convert.h"
#include "facade/leveldb/env_file_system.h"
#include "facade/leveldb/iterator.h"
#include "facade/leveldb/one_file.h"
#include "facade/leveldb/options.h"
#include "facade/leveldb/user_cache.h"

namespace leveldb {

using tamis::facade::AdaptedOptions;
using tamis::facade::FileSystemFor;
using tamis::facade::kOneFile;
using tamis::facade::ToLevelDB;
using tamis::facade::ToTamis;

struct TableBuilder::Rep {
  Rep(const Options& user, WritableFile* file)
      : comparator(user.comparator),
        adapted(user),
        options(adapted.options()),
        file_system(FileSystemFor(file)) {
    options.file_system = file_system;
    writer =
        std::make_unique<tamis::SstFileWriter>(tamis::EnvOptions(), options);
    status = writer->Open(kOneFile);
  }

  const Comparator* const comparator;
  const AdaptedOptions adapted;
  tamis::Options options;
  const std::shared_ptr<tamis::FileSystem> file_system;
  std::unique_ptr<tamis::SstFileWriter> writer;
  tamis::Status status;
  uint64_t entries = 0;
};

TableBuilder::TableBuilder(const Options& options, WritableFile* file)
    : rep_(new Rep(options, file)) {}

TableBuilder::~TableBuilder() { delete rep_; }

Status TableBuilder::ChangeOptions(const Options& options) {
  return options.comparator == rep_->comparator
             ? Status::OK()
             : Status::InvalidArgument(
                   "changing comparator while building table");
}

void TableBuilder::Add(const Slice& key, const Slice& value) {
  if (!rep_->status.ok()) return;
  rep_->status = rep_->writer->Put(ToTamis(key), ToTamis(value));
  if (rep_->status.ok()) ++rep_->entries;
}

// Where blocks end does not depend on it.
void TableBuilder::Flush() {}

Status TableBuilder::status() const { return ToLevelDB(rep_->status); }

Status TableBuilder::Finish() {
  if (rep_->status.ok()) rep_->status = rep_->writer->Finish();
  return status();
}

void TableBuilder::Abandon() { rep_->writer.reset(); }

uint64_t TableBuilder::NumEntries() const { return rep_->entries; }

uint64_t TableBuilder::FileSize() const {
  return rep_->writer == nullptr ? 0 : rep_->writer->FileSize();
}

struct Table::Rep {
  Rep(const Options& user, RandomAccessFile* file, uint64_t file_size)
      : adapted(user), options(adapted.options()), size(file_size) {
    options.file_system = tamis::facade::ReadThrough(
        user.block_cache, FileSystemFor(file, file_size));
    reader = std::make_unique<tamis::SstFileReader>(options);
  }

  const AdaptedOptions adapted;
  tamis::Options options;
  const uint64_t size;
  std::unique_ptr<tamis::SstFileReader> reader;
};

Status Table::Open(const Options& options, RandomAccessFile* file,
                   uint64_t file_size, Table** table) {
  *table = nullptr;
  auto rep = std::make_unique<Rep>(options, file, file_size);
  const tamis::Status status = rep->reader->Open(kOneFile);
  if (status.ok()) *table = new Table(rep.release());
  return ToLevelDB(status);
}

Table::~Table() { delete rep_; }

Iterator* Table::NewIterator(const ReadOptions& options) const {
  return tamis::facade::ForLevelDB(
             std::unique_ptr<tamis::Iterator>(
                 rep_->reader->NewIterator(ToTamis(options))),
             options.fill_cache)
      .release();
}

// Reads the table up to the key: the share of its bytes, of the file.
uint64_t Table::ApproximateOffsetOf(const Slice& key) const {
  const tamis::Comparator* const order = rep_->options.comparator;
  const std::unique_ptr<tamis::Iterator> it(
      rep_->reader->NewIterator(tamis::ReadOptions()));
  uint64_t before = 0;
  uint64_t all = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const uint64_t bytes = it->key().size() + it->value().size();
    all += bytes;
    if (order->Compare(it->key(), ToTamis(key)) < 0) before += bytes;
  }
  const uint64_t data = rep_->reader->GetTableProperties()->data_size;
  if (before == all) return rep_->size;
  return static_cast<uint64_t>(static_cast<double>(data) *
                               static_cast<double>(before) /
                               static_cast<double>(all));
}

// Prints a table. The other files have no functions in the library;
// tamis_ldb prints them.
Status DumpFile(Env* env, const std::string& fname, WritableFile* dst) {
  const std::string_view name(fname);
  if (!name.ends_with(".sst") && !name.ends_with(".ldb")) {
    return Status::NotSupported(
        fname, "tamis_ldb dump_wal and manifest_dump print logs and MANIFESTs");
  }
  tamis::Options options;
  options.file_system = tamis::facade::FileSystemOf(env);
  tamis::SstFileReader reader(options);
  const tamis::Status opened = reader.Open(fname);
  if (!opened.ok()) return ToLevelDB(opened);
  const std::unique_ptr<tamis::Iterator> it(
      reader.NewIterator(tamis::ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const Status status = dst->Append("'" + it->key().ToString() + "' => '" +
                                      it->value().ToString() + "'\n");
    if (!status.ok()) return status;
  }
  return ToLevelDB(it->status());
}

}  // namespace leveldb
