// SPDX-License-Identifier: Apache-2.0
#include "db/family/column_family.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "db/version/version_builder.h"

namespace tamis {

namespace {

constexpr int kRetireAttemptsMax = 1000;

// See KeepUnretired. A list, so that leak checkers find them.
constinit std::atomic<ReadState*> kept_for_good{nullptr};

}  // namespace

ColumnFamily::ColumnFamily(const DBContext& context, FamilyId id,
                           std::string name, const ColumnFamilyOptions& options)
    : id_(id),
      name_(std::move(name)),
      options_(options),
      order_(options.comparator),
      tables_(context, order_, options_) {
  InstallVersion(
      std::make_shared<const Version>(order_, &tables_, Version::Levels()));
}

ColumnFamily::~ColumnFamily() {
  state_.store(nullptr, std::memory_order_seq_cst);
  for (int attempt = 0; waiting_states_.load(std::memory_order_acquire) != 0;
       ++attempt) {
    if (attempt < kRetireAttemptsMax) {
      RetireAgain();
    } else {
      KeepUnretired();
    }
    epochs()->Reclaim();
    // A point read is inside. When it leaves it notifies nobody, so that point
    // reads pay nothing for this.
    std::this_thread::yield();
  }
}

std::shared_ptr<MemTable> ColumnFamily::NewMemTable(
    SequenceNumber earliest, FileNumber log_number) const {
  const double bloom_bytes =
      options_.memtable_whole_key_filtering
          ? static_cast<double>(options_.write_buffer_size) *
                options_.memtable_prefix_bloom_size_ratio
          : 0;
  return std::make_shared<MemTable>(order_, earliest, log_number,
                                    static_cast<size_t>(bloom_bytes));
}

std::shared_ptr<ReadState> ColumnFamily::NewReadState(const Change& change) {
  auto state = std::make_shared<ReadState>();
  state->memtable = change.memtable;
  state->immutables.assign(change.immutables.rbegin(),
                           change.immutables.rend());
  state->version = change.version;
  return state;
}

ColumnFamily::Change ColumnFamily::PrepareMemTable(
    std::shared_ptr<MemTable> fresh) const {
  TAMIS_CHECK(fresh != nullptr);
  TAMIS_CHECK(fresh != memtable_);
  Change change{.memtable = std::move(fresh),
                .immutables = immutables_,
                .version = version_,
                .state = nullptr};
  if (memtable_ != nullptr && !memtable_->empty()) {
    TAMIS_CHECK(immutables_.empty() ||
                immutables_.back()->log_number() < memtable_->log_number());
    TAMIS_CHECK(memtable_->log_number() < change.memtable->log_number());
    change.immutables.push_back(memtable_);
  }
  change.state = NewReadState(change);
  return change;
}

FileNumber ColumnFamily::OldestLogToKeep() const {
  if (!immutables_.empty()) return immutables_.front()->log_number();
  return memtable_ != nullptr ? memtable_->log_number() : log_number_;
}

void ColumnFamily::LogWasBegun(FileNumber number, SequenceNumber earliest) {
  TAMIS_CHECK(memtable_ != nullptr);
  TAMIS_CHECK(memtable_->log_number() <= number);
  if (memtable_->empty()) memtable_->Rebase(earliest, number);
}

ColumnFamily::Change ColumnFamily::PrepareVersion(VersionPtr version,
                                                  size_t flushed) {
  TAMIS_CHECK(version != nullptr);
  TAMIS_CHECK(flushed <= immutables_.size());
  TAMIS_DCHECK(CheckVersion(*version).ok());
  Change change{
      .memtable = memtable_,
      .immutables = {immutables_.begin() + static_cast<ptrdiff_t>(flushed),
                     immutables_.end()},
      .version = std::move(version),
      .state = nullptr};
  change.state = NewReadState(change);
  std::erase_if(all_versions_, [](const auto& v) { return v.expired(); });
  // For Take; twofold, as it would grow by itself.
  if (all_versions_.size() == all_versions_.capacity()) {
    all_versions_.reserve(std::max<size_t>(8, 2 * all_versions_.size()));
  }
  return change;
}

void ColumnFamily::Take(Change&& change) noexcept {
  TAMIS_CHECK(change.state != nullptr);
  TAMIS_CHECK(change.state->version == change.version);
  if (version_ != change.version) {
    TAMIS_CHECK(all_versions_.size() < all_versions_.capacity());
    all_versions_.push_back(change.version);
    RaiseEpochAbove(change.version->LargestEpoch());
  }
  // The leader of the write queue reads memtable_ without the mutex: only a
  // switch, which the leader makes, writes it.
  if (memtable_ != change.memtable) memtable_ = std::move(change.memtable);
  immutables_.swap(change.immutables);
  version_ = std::move(change.version);
  std::shared_ptr<ReadState> old =
      std::exchange(state_owner_, std::move(change.state));
  state_.store(state_owner_.get(), std::memory_order_seq_cst);
  if (old == nullptr) return;
  TAMIS_CHECK(old->retired == nullptr);
  waiting_states_.fetch_add(1, std::memory_order_relaxed);
  ReadState* const state = old.get();
  state->retired_count = &waiting_states_;
  state->retired = std::move(old);
  RetireAgain();
  Retire(state);
}

void ColumnFamily::Retire(ReadState* state) noexcept {
  const auto free = [](void* object) {
    // The family may go when the count falls.
    std::atomic<size_t>* const count =
        static_cast<ReadState*>(object)->retired_count;
    std::shared_ptr<ReadState>(
        std::move(static_cast<ReadState*>(object)->retired))
        .reset();
    count->fetch_sub(1, std::memory_order_release);
  };
  if (epochs()->Retire(state, free, /*bytes=*/0)) return;
  state->next_unretired = unretired_;
  unretired_ = state;
}

void ColumnFamily::RetireAgain() noexcept {
  ReadState* state = std::exchange(unretired_, nullptr);
  while (state != nullptr) {
    // It may be freed at once.
    ReadState* const next = state->next_unretired;
    Retire(state);
    state = next;
  }
}

void ColumnFamily::KeepUnretired() noexcept {
  while (unretired_ != nullptr) {
    ReadState* const state =
        std::exchange(unretired_, unretired_->next_unretired);
    state->next_unretired = kept_for_good.load(std::memory_order_relaxed);
    while (!kept_for_good.compare_exchange_weak(state->next_unretired, state)) {
    }
    waiting_states_.fetch_sub(1, std::memory_order_relaxed);
  }
}

std::vector<VersionPtr> ColumnFamily::LiveVersions() {
  std::vector<VersionPtr> live;
  for (const auto& weak : all_versions_) {
    if (VersionPtr version = weak.lock()) live.push_back(std::move(version));
  }
  return live;
}

}  // namespace tamis
