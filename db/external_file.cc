// SPDX-License-Identifier: Apache-2.0
#include "db/external_file.h"

#include <algorithm>
#include <utility>

#include "db/base/db_options.h"
#include "db/manifest/table_extent.h"
#include "db/manifest/table_path.h"
#include "table/properties.h"
#include "table/unique_id.h"
#include "util/coding/printable.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

Status CheckProperties(const std::string& path, const ColumnFamily& family,
                       const TableProperties& properties) {
  const auto& all = properties.user_collected_properties;
  if (!all.contains(kExternalVersionProperty) ||
      !all.contains(kGlobalSequenceProperty)) {
    return Status::Corruption(path, "an SstFileWriter did not write it: " +
                                        std::string(kExternalVersionProperty) +
                                        " or " + kGlobalSequenceProperty +
                                        " is missing from its properties");
  }
  constexpr uint64_t kUnknown = 0x7fffffff;
  if (properties.column_family_id != kUnknown &&
      properties.column_family_id != family.id().value()) {
    return Status::InvalidArgument(
        path, "written for column family " +
                  std::to_string(properties.column_family_id) + ", not for " +
                  family.id().ToString() + " ('" + family.name() + "')");
  }
  return Status::OK();
}

Status CheckSequence(const std::string& path, SequenceNumber sequence) {
  if (sequence == 0) return Status::OK();
  return Status::Corruption(
      path, "an entry has sequence number " + std::to_string(sequence) +
                ", expected 0: the file was ingested before, or changed");
}

// Sets the bounds, from the first and the last entry and the range tombstones.
Status ReadBounds(const std::string& path, const KeyOrder& order,
                  const TableReader& reader, FileMetaData* meta) {
  TableExtent extent(order);
  const auto it = reader.NewIterator(ReadContext::PastTheCache());
  const auto add = [&] {
    if (!it->Valid()) return it->status();
    ParsedInternalKey key;
    if (!ParseInternalKey(it->key(), &key)) {
      return Status::Corruption(path, "an entry is of no known type");
    }
    extent.AddEntry(it->key());
    return CheckSequence(path, key.sequence);
  };
  it->SeekToFirst();
  TAMIS_RETURN_IF_ERROR(add());
  it->SeekToLast();
  TAMIS_RETURN_IF_ERROR(add());
  const auto tombstones = reader.ReadRangeTombstones();
  if (!tombstones.ok()) return tombstones.status();
  for (const RangeTombstone& tombstone : *tombstones) {
    TAMIS_RETURN_IF_ERROR(CheckSequence(path, tombstone.sequence));
    extent.AddTombstone(tombstone);
  }
  if (extent.empty()) {
    return Status::InvalidArgument(path, "it contains no entries");
  }
  extent.StoreIn(meta);
  return Status::OK();
}

std::string WithSequence(const std::string& internal_key,
                         SequenceNumber sequence) {
  std::string key;
  AppendInternalKey(&key, ExtractUserKey(internal_key), sequence,
                    static_cast<uint8_t>(ExtractTail(internal_key) & 0xff));
  return key;
}

}  // namespace

Result<ExternalFile> ReadExternalFile(const DBContext& context,
                                      const ColumnFamily& family,
                                      const std::string& path, bool verify) {
  ExternalFile external;
  external.path = path;
  external.source = path;
  FileMetaData& meta = external.meta;
  TAMIS_RETURN_IF_ERROR(context.fs()->GetFileSize(path, &meta.size));
  TableContext table = family.tables().ContextFor(meta);
  table.file_name = path;
  table.block_cache = nullptr;
  std::unique_ptr<RandomAccessFile> file;
  TAMIS_RETURN_IF_ERROR(file_io::Open(
      context.fs(), path, FileOptionsForOnePass(context.options), &file));
  const auto reader = TableReader::Open(std::move(file), meta.size, table);
  if (!reader.ok()) return reader.status();
  external.properties = (*reader)->properties();
  const TableProperties& properties = *external.properties;
  TAMIS_RETURN_IF_ERROR(CheckProperties(path, family, properties));
  if (verify) TAMIS_RETURN_IF_ERROR((*reader)->VerifyChecksums());
  TAMIS_RETURN_IF_ERROR(ReadBounds(path, family.order(), **reader, &meta));
  meta.num_entries = properties.num_entries;
  meta.unique_id = TableUniqueId(properties);
  // Its entries are as old as their ingestion, for ttl and compactions by age.
  meta.oldest_ancestor_time = context.NowSeconds();
  meta.file_creation_time = meta.oldest_ancestor_time;
  return external;
}

Status SetFileChecksum(const DBContext& context, bool verify,
                       ExternalFile* file) {
  const std::string path = TablePath(context, file->meta);
  const auto maker = FileChecksumMaker::Make(
      context.options.file_checksum_gen_factory.get(), path);
  if (!maker.ok()) return maker.status();
  if (*maker == nullptr) return Status::OK();
  const FileChecksum& given = file->given;
  if (given.known() && given.function != (*maker)->name()) {
    return Status::InvalidArgument(
        file->path, "the given checksum is of function \"" + given.function +
                        "\", those of the database are of \"" +
                        (*maker)->name() + "\"");
  }
  if (given.known() && !verify) {
    file->meta.checksum = given;
    return Status::OK();
  }
  std::unique_ptr<RandomAccessFile> in;
  TAMIS_RETURN_IF_ERROR(file_io::Open(
      context.fs(), path, FileOptionsForOnePass(context.options), &in));
  const auto computed = ChecksumOfFile(*in, 0, maker->get());
  if (!computed.ok()) return computed.status();
  if (given.known() && *computed != given) {
    return Status::Corruption(file->path, "its " + given.function + " is " +
                                              PrintableHex(computed->value) +
                                              ", given was " +
                                              PrintableHex(given.value));
  }
  file->meta.checksum = *computed;
  return Status::OK();
}

bool FilesOverlap(const KeyOrder& order,
                  const std::vector<ExternalFile>& files) {
  std::vector<const ExternalFile*> sorted;
  for (const ExternalFile& file : files) sorted.push_back(&file);
  std::sort(sorted.begin(), sorted.end(),
            [&order](const ExternalFile* a, const ExternalFile* b) {
              return order.Compare(a->meta.smallest, b->meta.smallest) < 0;
            });
  return std::adjacent_find(
             sorted.begin(), sorted.end(),
             [&order](const ExternalFile* a, const ExternalFile* b) {
               return !a->EndsBefore(order, b->smallest());
             }) != sorted.end();
}

void AssignSequence(SequenceNumber sequence, ExternalFile* file) {
  FileMetaData& meta = file->meta;
  meta.smallest = WithSequence(meta.smallest, sequence);
  if (!meta.ends_in_tombstone()) {
    meta.largest = WithSequence(meta.largest, sequence);
  }
  meta.smallest_seqno = sequence;
  meta.largest_seqno = sequence;
}

bool MemTablesHaveKeysOf(const ReadState& state, const KeyOrder& order,
                         const ExternalFile& file) {
  const auto has_keys = [&](const MemTable& memtable) {
    const auto it = memtable.NewIterator();
    it->Seek(LookupKey(file.smallest(), kMaxSequenceNumber).internal_key());
    if (it->Valid() && !file.EndsBefore(order, ExtractUserKey(it->key()))) {
      return true;
    }
    std::vector<RangeTombstone> tombstones;
    memtable.AppendRangeTombstones(&tombstones);
    return std::any_of(
        tombstones.begin(), tombstones.end(), [&](const RangeTombstone& t) {
          return order.CompareUserKeys(t.end, file.smallest()) > 0 &&
                 !file.EndsBefore(order, t.begin);
        });
  };
  return has_keys(*state.memtable) ||
         std::any_of(state.immutables.begin(), state.immutables.end(),
                     [&](const auto& memtable) { return has_keys(*memtable); });
}

Result<bool> LevelHasKeysOf(const ColumnFamily& family, const Version& version,
                            Level level, const ExternalFile& file) {
  const KeyOrder& order = family.order();
  const Slice smallest = file.smallest();
  const Slice largest = file.largest();
  for (const TableFilePtr& table :
       version.Overlapping(level, &smallest, &largest)) {
    const auto reader = family.tables().Reader(*table);
    if (!reader.ok()) return reader.status();
    const auto it = (*reader)->NewIterator(ReadContext::PastTheCache());
    it->Seek(LookupKey(smallest, kMaxSequenceNumber).internal_key());
    TAMIS_RETURN_IF_ERROR(it->status());
    if (it->Valid() && !file.EndsBefore(order, ExtractUserKey(it->key()))) {
      return true;
    }
    const auto tombstones = family.tables().RangeTombstones(*table);
    if (!tombstones.ok()) return tombstones.status();
    if (*tombstones == nullptr) continue;
    const size_t i = (*tombstones)->FindFragment(smallest);
    if (i < (*tombstones)->size() &&
        !file.EndsBefore(order, (*tombstones)->at(i).begin)) {
      return true;
    }
  }
  return false;
}

}  // namespace tamis
