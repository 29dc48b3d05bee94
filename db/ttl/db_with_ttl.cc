// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <utility>

#include "tamis/utilities/db_ttl.h"

#include "db/base/numbers.h"
#include "db/ttl/timed_filter.h"
#include "db/ttl/timed_iterator.h"
#include "db/ttl/timed_merge_operator.h"
#include "db/ttl/timed_value.h"
#include "db/wal/write_batch_internal.h"
#include "util/base/exceptions.h"
#include "util/base/mutex.h"
#include "util/base/process.h"
#include "util/base/result.h"

namespace tamis {

namespace {

using FactoryPtr = std::shared_ptr<TimedFilterFactory>;

// Makes the callbacks of the options those of values with times. Returns the
// filter's factory.
FactoryPtr AddTimes(const std::shared_ptr<Clock>& clock, int32_t ttl,
                    ColumnFamilyOptions* options) {
  auto factory = std::make_shared<TimedFilterFactory>(
      ttl, clock, options->compaction_filter,
      options->compaction_filter == nullptr ? options->compaction_filter_factory
                                            : nullptr);
  options->compaction_filter = nullptr;
  options->compaction_filter_factory = factory;
  if (options->merge_operator != nullptr) {
    options->merge_operator = std::make_shared<TimedMergeOperator>(
        std::move(options->merge_operator), clock);
  }
  return factory;
}

// Adds the changes of a batch to another, with the time behind each value and
// operand.
class AddTimesToBatch final : public WriteBatch::Handler {
 public:
  AddTimesToBatch(uint32_t time, WriteBatch* out) : time_(time), out_(*out) {}

  Status PutCF(uint32_t family, const Slice& key, const Slice& value) override {
    return Add(family, kTypeValue, key, TimedValue::With(value, time_));
  }
  Status MergeCF(uint32_t family, const Slice& key,
                 const Slice& operand) override {
    return Add(family, kTypeMerge, key, TimedValue::With(operand, time_));
  }
  Status DeleteCF(uint32_t family, const Slice& key) override {
    return Add(family, kTypeDeletion, key, Slice());
  }
  Status SingleDeleteCF(uint32_t family, const Slice& key) override {
    return Add(family, kTypeSingleDeletion, key, Slice());
  }
  Status DeleteRangeCF(uint32_t family, const Slice& begin,
                       const Slice& end) override {
    return Add(family, kTypeRangeDeletion, begin, end);
  }
  void LogData(const Slice& blob) override {
    if (status_.ok()) status_ = out_.PutLogData(blob);
  }
  bool Continue() override { return status_.ok(); }
  const Status& status() const { return status_; }

 private:
  Status Add(uint32_t family, ValueType type, const Slice& key,
             const Slice& value) {
    return WriteBatchInternal::Add(&out_, FamilyId(family), type, key, value);
  }

  const uint32_t time_;
  WriteBatch& out_;
  Status status_;
};

// Removes the time from a value that was read, or makes the read fail.
Status RemoveTime(PinnableSlice* value) {
  const Status checked = TimedValue::Check(*value);
  if (!checked.ok()) {
    value->Reset();
    value->GetSelf()->clear();
    return checked;
  }
  value->remove_suffix(TimedValue::kTimeBytes);
  if (value->IsPinned()) return checked;
  value->GetSelf()->resize(value->size());
  value->PinSelf();
  return checked;
}

void RemoveTimes(size_t n, PinnableSlice* values, Status* statuses) {
  for (size_t i = 0; i < n; ++i) {
    if (statuses[i].ok()) statuses[i] = RemoveTime(&values[i]);
  }
}

class DBWithTTLImpl final : public DBWithTTL {
 public:
  DBWithTTLImpl(std::unique_ptr<DB> db, std::shared_ptr<Clock> clock)
      : DBWithTTL(std::shared_ptr<DB>(std::move(db))),
        clock_(std::move(clock)) {}

  void Keep(uint32_t family, FactoryPtr factory) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    factories_[family] = std::move(factory);
  }

  Status CreateColumnFamily(const ColumnFamilyOptions& options,
                            const std::string& family_name,
                            ColumnFamilyHandle** handle) override {
    return CreateColumnFamilyWithTtl(options, family_name, handle, /*ttl=*/0);
  }
  Status CreateColumnFamilyWithTtl(const ColumnFamilyOptions& options,
                                   const std::string& family_name,
                                   ColumnFamilyHandle** handle,
                                   int32_t ttl) override {
    *handle = nullptr;
    return CatchExceptions([&] {
      ColumnFamilyOptions timed = options;
      FactoryPtr factory = AddTimes(clock_, ttl, &timed);
      TAMIS_RETURN_IF_ERROR(
          db_->CreateColumnFamily(timed, family_name, handle));
      Keep((*handle)->GetID(), std::move(factory));
      return Status::OK();
    });
  }
  Status CreateColumnFamilyWithImport(
      const ColumnFamilyOptions& options, const std::string& family_name,
      const ImportColumnFamilyOptions& import_options,
      const ExportImportFilesMetaData& metadata,
      ColumnFamilyHandle** handle) override {
    *handle = nullptr;
    return CatchExceptions([&] {
      ColumnFamilyOptions timed = options;
      FactoryPtr factory = AddTimes(clock_, /*ttl=*/0, &timed);
      TAMIS_RETURN_IF_ERROR(db_->CreateColumnFamilyWithImport(
          timed, family_name, import_options, metadata, handle));
      Keep((*handle)->GetID(), std::move(factory));
      return Status::OK();
    });
  }

  void SetTtl(ColumnFamilyHandle* family, int32_t ttl) override {
    const FactoryPtr factory = Find(family);
    if (factory != nullptr) factory->set_ttl(ttl);
  }
  Status GetTtl(ColumnFamilyHandle* family, int32_t* ttl) override {
    const FactoryPtr factory = Find(family);
    if (factory == nullptr) {
      return Status::InvalidArgument(
          "GetTtl", "the family is not of this database, or process");
    }
    *ttl = factory->ttl();
    return Status::OK();
  }

  Status Write(const WriteOptions& options, WriteBatch* batch) override {
    if (batch == nullptr) return db_->Write(options, batch);
    return CatchExceptions([&] {
      WriteBatch timed(batch->GetDataSize() +
                       batch->Count() * TimedValue::kTimeBytes);
      AddTimesToBatch handler(TimedValue::Now(clock_.get()), &timed);
      TAMIS_RETURN_IF_ERROR(batch->Iterate(&handler));
      TAMIS_RETURN_IF_ERROR(handler.status());
      return db_->Write(options, &timed);
    });
  }

  using DBWithTTL::Get;
  Status Get(const ReadOptions& options, ColumnFamilyHandle* family,
             const Slice& key, PinnableSlice* value) override {
    const Status status = db_->Get(options, family, key, value);
    return status.ok() ? RemoveTime(value) : status;
  }
  using DBWithTTL::MultiGet;
  void MultiGet(const ReadOptions& options, ColumnFamilyHandle* family,
                size_t num_keys, const Slice* keys, PinnableSlice* values,
                Status* statuses) override {
    db_->MultiGet(options, family, num_keys, keys, values, statuses);
    RemoveTimes(num_keys, values, statuses);
  }
  void MultiGet(const ReadOptions& options, size_t num_keys,
                ColumnFamilyHandle** families, const Slice* keys,
                PinnableSlice* values, Status* statuses) override {
    db_->MultiGet(options, num_keys, families, keys, values, statuses);
    RemoveTimes(num_keys, values, statuses);
  }
  std::vector<Status> MultiGet(const ReadOptions& options,
                               const std::vector<ColumnFamilyHandle*>& families,
                               const std::vector<Slice>& keys,
                               std::vector<std::string>* values) override {
    std::vector<Status> statuses =
        db_->MultiGet(options, families, keys, values);
    for (size_t i = 0; i < values->size(); ++i) {
      std::string& value = (*values)[i];
      if (statuses[i].ok()) statuses[i] = TimedValue::Check(value);
      value.resize(statuses[i].ok() ? value.size() - TimedValue::kTimeBytes
                                    : 0);
    }
    return statuses;
  }
  Status GetMergeOperands(const ReadOptions& options,
                          ColumnFamilyHandle* family, const Slice& key,
                          PinnableSlice* merge_operands,
                          GetMergeOperandsOptions* get_merge_operands_options,
                          int* number_of_operands) override {
    TAMIS_RETURN_IF_ERROR(
        db_->GetMergeOperands(options, family, key, merge_operands,
                              get_merge_operands_options, number_of_operands));
    for (int i = 0; i < *number_of_operands; ++i) {
      TAMIS_RETURN_IF_ERROR(RemoveTime(&merge_operands[i]));
    }
    return Status::OK();
  }
  using DBWithTTL::KeyMayExist;
  bool KeyMayExist(const ReadOptions& options, ColumnFamilyHandle* family,
                   const Slice& key, std::string* value,
                   bool* value_found) override {
    bool found = false;
    const bool may = db_->KeyMayExist(options, family, key, value, &found);
    if (found && value != nullptr) {
      found = TimedValue::Check(*value).ok();
      value->resize(found ? value->size() - TimedValue::kTimeBytes : 0);
    }
    if (value_found != nullptr) *value_found = found;
    return may;
  }
  using DBWithTTL::NewIterator;
  Iterator* NewIterator(const ReadOptions& options,
                        ColumnFamilyHandle* family) override {
    return new TimedIterator(
        std::unique_ptr<Iterator>(db_->NewIterator(options, family)));
  }
  Status NewIterators(const ReadOptions& options,
                      const std::vector<ColumnFamilyHandle*>& families,
                      std::vector<Iterator*>* iterators) override {
    TAMIS_RETURN_IF_ERROR(db_->NewIterators(options, families, iterators));
    std::vector<std::unique_ptr<Iterator>> all;
    const Status status = CatchExceptions([&] {
      all.reserve(iterators->size());
      for (Iterator*& iterator : *iterators) {
        std::unique_ptr<Iterator> base(std::exchange(iterator, nullptr));
        all.push_back(std::make_unique<TimedIterator>(std::move(base)));
      }
      return Status::OK();
    });
    for (size_t i = 0; i < all.size() && status.ok(); ++i) {
      (*iterators)[i] = all[i].release();
    }
    if (!status.ok()) {
      for (const Iterator* const iterator : *iterators) delete iterator;
      iterators->clear();
    }
    return status;
  }

 private:
  // Returns nullptr in a forked process: a thread that does not exist there may
  // hold the mutex.
  FactoryPtr Find(const ColumnFamilyHandle* family) const EXCLUDES(mutex_) {
    if (!owner_process_.IsCurrent()) return nullptr;
    MutexLock lock(&mutex_);
    const auto found = factories_.find(family->GetID());
    return found != factories_.end() ? found->second : nullptr;
  }

  const OwnerProcess owner_process_;
  const std::shared_ptr<Clock> clock_;
  mutable Mutex mutex_;
  std::map<uint32_t, FactoryPtr> factories_ GUARDED_BY(mutex_);
};

// Returns the clock of the options, or a new one as an open would make.
std::shared_ptr<Clock> ClockOf(const DBOptions& options) {
  return options.clock != nullptr ? options.clock : NewSystemClock();
}

}  // namespace

Status DBWithTTL::Open(const Options& options, const std::string& name,
                       DBWithTTL** db, int32_t ttl, bool read_only) {
  std::vector<ColumnFamilyHandle*> handles;
  TAMIS_RETURN_IF_ERROR(Open(options, name,
                             {{kDefaultColumnFamilyName, options}}, &handles,
                             db, {ttl}, read_only));
  return (*db)->DestroyColumnFamilyHandle(handles.front());
}

Status DBWithTTL::Open(const DBOptions& options, const std::string& name,
                       const std::vector<ColumnFamilyDescriptor>& families,
                       std::vector<ColumnFamilyHandle*>* handles,
                       DBWithTTL** db, const std::vector<int32_t>& ttls,
                       bool read_only) {
  *db = nullptr;
  handles->clear();
  if (ttls.size() != families.size()) {
    return Status::InvalidArgument("DBWithTTL::Open",
                                   "expected as many ttls as families");
  }
  return CatchExceptions([&] {
    const std::shared_ptr<Clock> clock = ClockOf(options);
    std::vector<ColumnFamilyDescriptor> timed = families;
    std::vector<FactoryPtr> factories;
    for (size_t i = 0; i < timed.size(); ++i) {
      factories.push_back(AddTimes(clock, ttls[i], &timed[i].options));
    }
    std::unique_ptr<DB> opened;
    TAMIS_RETURN_IF_ERROR(
        read_only ? DB::OpenForReadOnly(options, name, timed, handles, &opened)
                  : DB::Open(options, name, timed, handles, &opened));
    auto with_ttl = std::make_unique<DBWithTTLImpl>(std::move(opened), clock);
    for (size_t i = 0; i < timed.size(); ++i) {
      with_ttl->Keep((*handles)[i]->GetID(), std::move(factories[i]));
    }
    *db = with_ttl.release();
    return Status::OK();
  });
}

}  // namespace tamis
