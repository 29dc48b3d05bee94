// SPDX-License-Identifier: Apache-2.0
#include "db/column_family.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace tamis {

ColumnFamily::ColumnFamily(const DBContext& context, uint32_t id,
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
  while (waiting_states_.load(std::memory_order_acquire) != 0) {
    epochs()->Reclaim();
    std::this_thread::yield();  // a reader is inside, for one point read
  }
}

std::shared_ptr<MemTable> ColumnFamily::NewMemTable(SequenceNumber earliest,
                                                    uint64_t log_number) const {
  const double bloom_bytes =
      options_.memtable_whole_key_filtering
          ? static_cast<double>(options_.write_buffer_size) *
                options_.memtable_prefix_bloom_size_ratio
          : 0;
  return std::make_shared<MemTable>(order_, earliest, log_number,
                                    static_cast<size_t>(bloom_bytes));
}

void ColumnFamily::SwitchMemTable(std::shared_ptr<MemTable> fresh) {
  if (memtable_ != nullptr && !memtable_->empty()) {
    immutables_.push_back(memtable_);
  }
  memtable_ = std::move(fresh);
  PublishReadState();
}

uint64_t ColumnFamily::OldestLogToKeep() const {
  if (!immutables_.empty()) return immutables_.front()->log_number();
  return memtable_ != nullptr ? memtable_->log_number() : log_number_;
}

void ColumnFamily::LogWasBegun(uint64_t number, SequenceNumber earliest) {
  if (memtable_->empty()) memtable_->Rebase(earliest, number);
}

void ColumnFamily::InstallVersion(VersionPtr version, size_t flushed) {
  TAMIS_CHECK(flushed <= immutables_.size());
  immutables_.erase(immutables_.begin(),
                    immutables_.begin() + static_cast<ptrdiff_t>(flushed));
  version_ = std::move(version);
  std::erase_if(all_versions_, [](const auto& v) { return v.expired(); });
  all_versions_.push_back(version_);
  RaiseEpochAbove(version_->LargestEpoch());
  PublishReadState();
}

std::vector<VersionPtr> ColumnFamily::LiveVersions() {
  std::vector<VersionPtr> live;
  for (const auto& weak : all_versions_) {
    if (VersionPtr version = weak.lock()) live.push_back(std::move(version));
  }
  return live;
}

void ColumnFamily::PublishReadState() {
  auto state = std::make_shared<ReadState>();
  state->memtable = memtable_;
  state->immutables.assign(immutables_.rbegin(), immutables_.rend());
  state->version = version_;
  ReadStatePtr old = std::exchange(state_owner_, std::move(state));
  state_.store(state_owner_.get(), std::memory_order_seq_cst);
  if (old == nullptr) return;
  struct Waiting {
    ReadStatePtr state;
    std::atomic<size_t>* count;
  };
  waiting_states_.fetch_add(1, std::memory_order_relaxed);
  epochs()->Retire(
      new Waiting{std::move(old), &waiting_states_},
      [](void* object) {
        const std::unique_ptr<Waiting> waiting(static_cast<Waiting*>(object));
        waiting->state.reset();
        // The family may go from here on.
        waiting->count->fetch_sub(1, std::memory_order_release);
      },
      /*bytes=*/0);
}

}  // namespace tamis
