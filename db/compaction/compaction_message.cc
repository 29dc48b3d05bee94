// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/compaction_message.h"

#include <bit>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tamis/compaction_filter.h"
#include "tamis/table_properties_collector.h"

#include "db/options/option_objects.h"
#include "util/coding/coding.h"
#include "util/coding/hash.h"

namespace tamis {

namespace {

constexpr std::string_view kRequestMagic = "TamisCr1";
constexpr std::string_view kReplyMagic = "TamisCa1";
constexpr size_t kMagicBytes = 8;
constexpr size_t kHashBytes = 8;

// Fields writes or reads a message: Describe names the fields once, in order.
// A failed read leaves what it reads as it is.
class FieldWriter {
 public:
  explicit FieldWriter(std::string* out) : out_(*out) {}

  void Field(uint64_t value) { PutVarint64(&out_, value); }
  void Field(bool value) { Field(uint64_t{value ? 1u : 0u}); }
  void Field(int value) { PutVarsignedint64(&out_, value); }
  void Field(double value) { Field(std::bit_cast<uint64_t>(value)); }
  void Field(const std::string& value) { PutLengthPrefixedSlice(&out_, value); }
  template <typename T>
  void Field(const std::vector<T>& values) {
    Field(uint64_t{values.size()});
    for (const T& value : values) Describe(this, value);
  }

 private:
  std::string& out_;
};

class FieldReader {
 public:
  explicit FieldReader(const Slice& input) : in_(input) {}

  bool ok() const { return in_.ok(); }
  bool empty() const { return in_.empty(); }
  size_t offset() const { return in_.offset(); }

  void Field(uint64_t& value) { value = in_.Varint64(); }
  void Field(bool& value) {
    const uint64_t read = in_.Varint64();
    if (read > 1) in_.Fail();
    value = read == 1;
  }
  void Field(int& value) {
    const int64_t read = in_.Varsignedint64();
    value = static_cast<int>(read);
    if (value != read) in_.Fail();
  }
  void Field(double& value) { value = std::bit_cast<double>(in_.Varint64()); }
  void Field(std::string& value) { value = in_.LengthPrefixed().ToString(); }
  template <typename T>
  void Field(std::vector<T>& values) {
    const uint64_t count = in_.Varint64();
    if (count > in_.remaining()) in_.Fail();  // each has a byte at least
    for (uint64_t i = 0; in_.ok() && i < count; ++i) {
      Describe(this, values.emplace_back());
    }
  }

 private:
  Decoder in_;
};

// Each is called with a writer and a constant struct, or with a reader.
template <typename Fields, typename Number>
requires std::is_same_v<std::remove_const_t<Number>, uint64_t> ||
    std::is_same_v<std::remove_const_t<Number>, std::string>
void Describe(Fields* f, Number& value) { f->Field(value); }

template <typename T, typename Struct>
concept Is = std::is_same_v<std::remove_const_t<T>, Struct>;

template <typename Fields, Is<NamedObject> Object>
void Describe(Fields* f, Object& object) {
  f->Field(object.option);
  f->Field(object.name);
}

template <typename Fields, Is<LevelShape> Shape>
void Describe(Fields* f, Shape& shape) {
  f->Field(shape.entries);
  f->Field(shape.sorted_runs);
  f->Field(shape.negative_lookups);
}

template <typename Fields, Is<CompactionJobId> Id>
void Describe(Fields* f, Id& id) {
  f->Field(id.db_id);
  f->Field(id.session_id);
  f->Field(id.job);
}

template <typename Fields, Is<CompactionIterator::Counts> Counts>
void Describe(Fields* f, Counts& counts) {
  f->Field(counts.entries_read);
  f->Field(counts.dropped_hidden);
  f->Field(counts.dropped_covered);
  f->Field(counts.dropped_obsolete);
  f->Field(counts.removed_by_filter);
}

template <typename Fields, Is<CompactionRequest::Inputs> Inputs>
void Describe(Fields* f, Inputs& inputs) {
  f->Field(inputs.level);
  f->Field(inputs.numbers);
}

template <typename Fields, Is<CompactionRequest> Request>
void Describe(Fields* f, Request& request) {
  Describe(f, request.id);
  f->Field(request.family_id);
  f->Field(request.family_name);
  f->Field(request.job_directory);
  f->Field(request.table_directories);
  f->Field(request.database_options);
  f->Field(request.family_options);
  f->Field(request.objects);
  f->Field(request.snapshots);
  f->Field(request.levels);
  f->Field(request.version);
  f->Field(request.entries);
  f->Field(request.inputs);
  f->Field(request.output_level);
  f->Field(request.grandparents);
  f->Field(request.grandparent_bytes_max);
  f->Field(request.output_file_bytes_max);
  f->Field(request.part_bytes_min);
  f->Field(request.bottommost);
  f->Field(request.older_may_come);
  f->Field(request.base);
  f->Field(request.compress);
  f->Field(request.has_compression);
  f->Field(request.compression);
  f->Field(request.reason);
  f->Field(request.manual);
  f->Field(request.parts_max);
}

template <typename Fields, Is<CompactionReply> Reply>
void Describe(Fields* f, Reply& reply) {
  Describe(f, reply.id);
  f->Field(reply.error);
  f->Field(reply.output_directory);
  f->Field(reply.outputs);
  f->Field(reply.entries);
  Describe(f, reply.counts);
  f->Field(reply.entries_written);
}

template <typename Message>
std::string Encode(std::string_view magic, const Message& message) {
  std::string bytes(magic);
  FieldWriter writer(&bytes);
  Describe(&writer, message);
  PutFixed64(&bytes, Hash64(bytes));
  return bytes;
}

template <typename Message>
Status Decode(const char* what, std::string_view magic, const Slice& bytes,
              Message* message) {
  if (bytes.size() < kMagicBytes + kHashBytes ||
      Slice(bytes.data(), kMagicBytes) != Slice(magic)) {
    return Status::InvalidArgument(what, "it is not one of this release");
  }
  const Slice hashed(bytes.data(), bytes.size() - kHashBytes);
  if (DecodeFixed64(hashed.end()) != Hash64(hashed)) {
    return Status::Corruption(what, "its checksum does not match");
  }
  FieldReader reader(
      Slice(hashed.data() + kMagicBytes, hashed.size() - kMagicBytes));
  Describe(&reader, *message);
  if (!reader.ok() || !reader.empty()) {
    return Status::Corruption(
        what,
        "malformed at byte " + std::to_string(kMagicBytes + reader.offset()));
  }
  return Status::OK();
}

constexpr char kRequest[] = "request of a remote compaction";
constexpr char kReply[] = "reply of a remote compaction";

template <typename Pointer>
std::string NameOfObject(const Pointer& object) {
  return object == nullptr ? std::string() : std::string(object->Name());
}

}  // namespace

std::vector<NamedObject> ObjectsOf(const DBOptions& database,
                                   const ColumnFamilyOptions& family) {
  // An unknown factory's text gives nullptr.
  const std::shared_ptr<TableFactory>& tables = family.table_factory;
  std::vector<NamedObject> objects = {
      {"comparator", NameOfObject(family.comparator)},
      {"merge_operator", NameOfObject(family.merge_operator)},
      {"compaction_filter", NameOfObject(family.compaction_filter)},
      {"compaction_filter_factory",
       NameOfObject(family.compaction_filter_factory)},
      {"sst_partitioner_factory", NameOfObject(family.sst_partitioner_factory)},
      {"prefix_extractor", PrintOptionText(family.prefix_extractor)},
      {"table_factory", NameOfObject(tables)},
      {"filter_policy",
       tables == nullptr
           ? std::string()
           : PrintOptionText(tables->block_based_options().filter_policy)},
      {"file_checksum_gen_factory",
       NameOfObject(database.file_checksum_gen_factory)},
  };
  for (const auto& factory : family.table_properties_collector_factories) {
    objects.push_back(
        {"table_properties_collector_factories", NameOfObject(factory)});
  }
  return objects;
}

std::string EncodeMessage(const CompactionRequest& request) {
  return Encode(kRequestMagic, request);
}
std::string EncodeMessage(const CompactionReply& reply) {
  return Encode(kReplyMagic, reply);
}
Status DecodeMessage(const Slice& bytes, CompactionRequest* request) {
  return Decode(kRequest, kRequestMagic, bytes, request);
}
Status DecodeMessage(const Slice& bytes, CompactionReply* reply) {
  return Decode(kReply, kReplyMagic, bytes, reply);
}

}  // namespace tamis
