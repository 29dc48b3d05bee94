// SPDX-License-Identifier: Apache-2.0
//
// The members of Transaction that are made of others.
#include "tamis/utilities/transaction.h"

#include <atomic>

#include "tamis/iterator.h"

#include "util/base/joined_parts.h"
#include "util/base/read_into.h"

namespace tamis {

namespace {

constinit std::atomic<TransactionID> last_id{0};

// As ReadInto; value may be nullptr, and is then what read() gets.
template <typename Read>
Status ReadIntoIfAny(std::string* value, const Read& read) {
  return value == nullptr ? read(nullptr) : ReadInto(value, read);
}

}  // namespace

TransactionNotifier::~TransactionNotifier() = default;

Transaction::Transaction() { BeginAgain(); }
Transaction::~Transaction() = default;

void Transaction::BeginAgain() {
  id_ = last_id.fetch_add(1, std::memory_order_relaxed) + 1;
  set_state(STARTED);
  name_.clear();
}

std::vector<TransactionID> Transaction::GetWaitingTxns(uint32_t*,
                                                       std::string*) const {
  return {};
}

Status Transaction::Get(const ReadOptions& options, ColumnFamilyHandle* family,
                        const Slice& key, std::string* value) {
  return ReadInto(value, [&](PinnableSlice* pinned) {
    return Get(options, family, key, pinned);
  });
}

Status Transaction::Get(const ReadOptions& options, const Slice& key,
                        PinnableSlice* value) {
  return Get(options, nullptr, key, value);
}

Status Transaction::Get(const ReadOptions& options, const Slice& key,
                        std::string* value) {
  return Get(options, nullptr, key, value);
}

std::vector<Status> Transaction::MultiGet(
    const ReadOptions& options,
    const std::vector<ColumnFamilyHandle*>& families,
    const std::vector<Slice>& keys, std::vector<std::string>* values) {
  std::vector<Status> statuses(keys.size());
  values->assign(keys.size(), std::string());
  for (size_t i = 0; i < keys.size(); ++i) {
    statuses[i] = Get(options, families[i], keys[i], &(*values)[i]);
  }
  return statuses;
}

std::vector<Status> Transaction::MultiGet(const ReadOptions& options,
                                          const std::vector<Slice>& keys,
                                          std::vector<std::string>* values) {
  return MultiGet(options,
                  std::vector<ColumnFamilyHandle*>(keys.size(), nullptr), keys,
                  values);
}

Status Transaction::GetForUpdate(const ReadOptions& options,
                                 ColumnFamilyHandle* family, const Slice& key,
                                 std::string* value, bool exclusive,
                                 bool do_validate) {
  return ReadIntoIfAny(value, [&](PinnableSlice* pinned) {
    return GetForUpdate(options, family, key, pinned, exclusive, do_validate);
  });
}

Status Transaction::GetForUpdate(const ReadOptions& options, const Slice& key,
                                 PinnableSlice* value, bool exclusive,
                                 bool do_validate) {
  return GetForUpdate(options, nullptr, key, value, exclusive, do_validate);
}

Status Transaction::GetForUpdate(const ReadOptions& options, const Slice& key,
                                 std::string* value, bool exclusive,
                                 bool do_validate) {
  return GetForUpdate(options, nullptr, key, value, exclusive, do_validate);
}

std::vector<Status> Transaction::MultiGetForUpdate(
    const ReadOptions& options,
    const std::vector<ColumnFamilyHandle*>& families,
    const std::vector<Slice>& keys, std::vector<std::string>* values) {
  values->assign(keys.size(), std::string());
  for (size_t i = 0; i < keys.size(); ++i) {
    const Status tracked = GetForUpdate(options, families[i], keys[i],
                                        static_cast<PinnableSlice*>(nullptr));
    if (!tracked.ok()) return std::vector<Status>(keys.size(), tracked);
  }
  return MultiGet(options, families, keys, values);
}

std::vector<Status> Transaction::MultiGetForUpdate(
    const ReadOptions& options, const std::vector<Slice>& keys,
    std::vector<std::string>* values) {
  return MultiGetForUpdate(
      options, std::vector<ColumnFamilyHandle*>(keys.size(), nullptr), keys,
      values);
}

Iterator* Transaction::GetIterator(const ReadOptions& options) {
  return GetIterator(options, nullptr);
}

Status Transaction::Put(const Slice& key, const Slice& value) {
  return Put(nullptr, key, value);
}

Status Transaction::Put(ColumnFamilyHandle* family, const SliceParts& key,
                        const SliceParts& value, bool assume_tracked) {
  return Joined(key, value, [&](const Slice& k, const Slice& v) {
    return Put(family, k, v, assume_tracked);
  });
}

Status Transaction::Put(const SliceParts& key, const SliceParts& value) {
  return Put(nullptr, key, value);
}

Status Transaction::Merge(const Slice& key, const Slice& operand) {
  return Merge(nullptr, key, operand);
}

Status Transaction::Delete(const Slice& key) { return Delete(nullptr, key); }

Status Transaction::Delete(ColumnFamilyHandle* family, const SliceParts& key,
                           bool assume_tracked) {
  return Joined(key, {}, [&](const Slice& k, const Slice&) {
    return Delete(family, k, assume_tracked);
  });
}

Status Transaction::Delete(const SliceParts& key) {
  return Delete(nullptr, key);
}

Status Transaction::SingleDelete(const Slice& key) {
  return SingleDelete(nullptr, key);
}

Status Transaction::SingleDelete(ColumnFamilyHandle* family,
                                 const SliceParts& key, bool assume_tracked) {
  return Joined(key, {}, [&](const Slice& k, const Slice&) {
    return SingleDelete(family, k, assume_tracked);
  });
}

Status Transaction::SingleDelete(const SliceParts& key) {
  return SingleDelete(nullptr, key);
}

Status Transaction::PutUntracked(const Slice& key, const Slice& value) {
  return PutUntracked(nullptr, key, value);
}

Status Transaction::MergeUntracked(const Slice& key, const Slice& operand) {
  return MergeUntracked(nullptr, key, operand);
}

Status Transaction::DeleteUntracked(const Slice& key) {
  return DeleteUntracked(nullptr, key);
}

Status Transaction::SingleDeleteUntracked(const Slice& key) {
  return SingleDeleteUntracked(nullptr, key);
}

void Transaction::UndoGetForUpdate(const Slice& key) {
  UndoGetForUpdate(nullptr, key);
}

}  // namespace tamis
