// SPDX-License-Identifier: Apache-2.0
#include "table/properties_collectors.h"

#include <utility>

#include "util/base/exceptions.h"
#include "util/base/result.h"

namespace tamis {

namespace {

EntryType EntryTypeOf(uint8_t type) {
  switch (type) {
    case kTypeDeletion:
      return kEntryDelete;
    case kTypeSingleDeletion:
      return kEntrySingleDelete;
    case kTypeMerge:
      return kEntryMerge;
    case kTypeRangeDeletion:
      return kEntryRangeDeletion;
    default:
      return kEntryPut;
  }
}

bool IsReserved(const std::string& name) {
  return name.starts_with("rocksdb.") || name.starts_with("tamis.");
}

}  // namespace

std::string CollectorNames(const CollectorFactories& factories) {
  std::string names = "[";
  for (const auto& factory : factories) {
    if (names.size() > 1) names += ",";
    names += factory->Name();
  }
  return names + "]";
}

PropertiesCollectors::PropertiesCollectors(
    const CollectorFactories& factories,
    TablePropertiesCollectorFactory::Context context, Logger* logger,
    std::string file_name)
    : logger_(logger), file_name_(std::move(file_name)) {
  for (const auto& factory : factories) {
    CollectorPtr made;
    const Status status = CatchExceptions([&] {
      made.reset(factory->CreateTablePropertiesCollector(context));
      return Status::OK();
    });
    if (!status.ok()) LogFailure(factory->Name(), status);
    if (made != nullptr) collectors_.push_back(std::move(made));
  }
}

template <typename Call>
void PropertiesCollectors::ForEach(const Call& call) {
  std::erase_if(collectors_, [&](const CollectorPtr& collector) {
    const Status status = CatchExceptions([&] { return call(*collector); });
    if (status.ok()) return false;
    LogFailure(collector->Name(), status);
    return true;
  });
}

void PropertiesCollectors::LogFailure(const char* name,
                                      const Status& status) const {
  Warn(logger_, "table properties collector %s failed for %s: %s", name,
       file_name_.c_str(), status.ToString().c_str());
}

void PropertiesCollectors::Add(const Slice& internal_key, const Slice& value,
                               uint64_t file_size) {
  const uint64_t tail = ExtractTail(internal_key);
  const EntryType type = EntryTypeOf(static_cast<uint8_t>(tail & 0xff));
  const Slice user_key = ExtractUserKey(internal_key);
  ForEach([&](TablePropertiesCollector& collector) {
    return collector.AddUserKey(user_key, value, type, tail >> 8, file_size);
  });
}

void PropertiesCollectors::AddBlock(uint64_t raw_bytes) {
  ForEach([&](TablePropertiesCollector& collector) {
    collector.BlockAdd(raw_bytes, 0, 0);
    return Status::OK();
  });
}

void PropertiesCollectors::Finish(TableProperties* properties) {
  ForEach([&](TablePropertiesCollector& collector) {
    UserCollectedProperties collected;
    TAMIS_RETURN_IF_ERROR(collector.Finish(&collected));
    const UserCollectedProperties readable = collector.GetReadableProperties();
    for (auto& [name, value] : collected) {
      if (!IsReserved(name)) {
        properties->user_collected_properties[name] = std::move(value);
      }
    }
    properties->readable_properties.insert(readable.begin(), readable.end());
    need_compaction_ = collector.NeedCompact() || need_compaction_;
    return Status::OK();
  });
}

}  // namespace tamis
