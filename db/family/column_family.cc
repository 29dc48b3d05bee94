// SPDX-License-Identifier: Apache-2.0
#include "db/family/column_family.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "db/version/version_builder.h"

namespace tamis {

ColumnFamily::ColumnFamily(const DBContext& context, FamilyId id,
                           std::string name, const ColumnFamilyOptions& options)
    : id_(id),
      name_(std::move(name)),
      fixed_options_(std::make_shared<const ColumnFamilyOptions>(options)),
      options_(fixed_options_),
      write_buffer_size_(options.write_buffer_size),
      order_(options.comparator),
      tables_(context, order_, options),
      logger_(context.logger()),
      write_buffer_manager_(context.options.write_buffer_manager),
      reported_stats_(context.clock()->NowNanos()) {
  InstallVersion(
      std::make_shared<const Version>(order_, &tables_, Version::Levels()));
}

std::shared_ptr<MemTable> ColumnFamily::NewMemTable(
    SequenceNumber earliest, FileNumber log_number) const {
  const double bloom_bytes =
      options_->memtable_whole_key_filtering
          ? static_cast<double>(options_->write_buffer_size) *
                options_->memtable_prefix_bloom_size_ratio
          : 0;
  return std::make_shared<MemTable>(order_, earliest, log_number,
                                    static_cast<size_t>(bloom_bytes),
                                    write_buffer_manager_);
}

std::shared_ptr<StripedPtr<ReadState>> ColumnFamily::NewReadState(
    const Change& change) const {
  auto state = std::make_shared<ReadState>();
  state->memtable = change.memtable;
  state->immutables.assign(change.immutables.rbegin(),
                           change.immutables.rend());
  state->version = change.version;
  if (state_owner_ != nullptr) {
    state->readable_to = state_owner_->get()->readable_to;
  }
  state->retire_room = RetireScope::NewRoom();
  return std::make_shared<StripedPtr<ReadState>>(std::move(state));
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

void ColumnFamily::SetOptions(const ColumnFamilyOptions& options) {
  auto fresh = std::make_shared<const ColumnFamilyOptions>(options);
  Change change = PrepareVersion(version_, /*flushed=*/0);
  options_.swap(fresh);
  write_buffer_size_.store(options.write_buffer_size,
                           std::memory_order_relaxed);
  tables_.SetOptions(options);
  Take(std::move(change));
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
  std::erase_if(flushed_, [](const auto& m) { return m.expired(); });
  flushed_.reserve(flushed_.size() + immutables_.size());
  return change;
}

void ColumnFamily::Take(Change&& change) noexcept {
  TAMIS_CHECK(change.state != nullptr);
  TAMIS_CHECK(change.state->get()->version == change.version);
  if (version_ != change.version) {
    TAMIS_CHECK(all_versions_.size() < all_versions_.capacity());
    all_versions_.push_back(change.version);
    RaiseEpochAbove(change.version->LargestEpoch());
  }
  // The leader of the write queue reads memtable_ without the mutex: only a
  // switch, which the leader makes, writes it.
  if (memtable_ != change.memtable) {
    if (memtable_ != nullptr) memtable_->EndWrites();
    memtable_ = std::move(change.memtable);
  }
  for (size_t i = 0; i + change.immutables.size() < immutables_.size(); ++i) {
    TAMIS_CHECK(flushed_.size() < flushed_.capacity());
    flushed_.push_back(immutables_[i]);
  }
  immutables_.swap(change.immutables);
  ++state_number_;
  version_ = std::move(change.version);
  // Those of a SetOptions after Prepare count, too.
  change.state->get()->options = options_;
  std::shared_ptr<StripedPtr<ReadState>> old =
      std::exchange(state_owner_, std::move(change.state));
  state_owner_shown_.store(state_owner_.get(), std::memory_order_seq_cst);
  state_.store(state_owner_->get(), std::memory_order_seq_cst);
  if (old == nullptr) return;
  RetireScope::Room room = std::move(old->get()->retire_room);
  replaced_states_.Retire(epochs(), std::move(room), std::move(old),
                          /*bytes=*/0);
}

std::vector<std::shared_ptr<const MemTable>> ColumnFamily::FlushedMemTables() {
  std::vector<std::shared_ptr<const MemTable>> live;
  for (const auto& flushed : flushed_) {
    if (auto memtable = flushed.lock()) live.push_back(std::move(memtable));
  }
  return live;
}

std::vector<VersionPtr> ColumnFamily::LiveVersions() {
  std::vector<VersionPtr> live;
  for (const auto& weak : all_versions_) {
    if (VersionPtr version = weak.lock()) live.push_back(std::move(version));
  }
  return live;
}

}  // namespace tamis
