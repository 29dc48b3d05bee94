// SPDX-License-Identifier: Apache-2.0
#include "filter/user_filter.h"

#include <limits>
#include <utility>

#include "filter/bloom_math.h"

namespace tamis {

namespace {

Status NoFilterForKeys(const std::string& policy_name, const char* call,
                       size_t bytes) {
  return Status::InvalidArgument(
      "filter policy " + policy_name,
      std::string(call) + " returned a filter of " + std::to_string(bytes) +
          " bytes for a set of keys, which would be read as an empty filter");
}

// Empty filters are not passed to the user's reader.
bool IsEmptyFilter(const Slice& filter) {
  return filter.size() <= kFilterTrailerBytes;
}

// The state of the view.
struct UserState {
  FilterBitsReader* reader;
};

bool AskUserReader(const FilterView& view, const FilterKey& entry) {
  return view.state<UserState>().reader->MayMatch(entry.user_key());
}

}  // namespace

void UserFilterBuilder::Add(const FilterKey& key) {
  if (bits_ == nullptr) {
    bits_ = new_bits_();
    failed_ = bits_ == nullptr;
  }
  const Slice bytes = key.user_key();
  if (num_keys_ == 0 || Slice(last_key_) != bytes) {
    ++num_keys_;
    last_key_.assign(bytes.data(), bytes.size());
  }
  if (bits_ != nullptr) bits_->AddKey(bytes);
}

Result<std::string> UserFilterBuilder::Finish() {
  if (failed_) {
    return Status::InvalidArgument(
        "filter policy " + policy_name_,
        "returned a builder for one filter of a table and none for another");
  }
  if (num_keys_ == 0) return std::string();
  std::unique_ptr<const char[]> owner;
  const Slice contents = bits_->Finish(&owner);
  std::string filter = contents.ToString();
  bits_.reset();
  num_keys_ = 0;
  if (IsEmptyFilter(filter)) {
    return NoFilterForKeys(policy_name_, "FilterBitsBuilder::Finish",
                           filter.size());
  }
  return filter;
}

Slice UserChunkBuilder::KeyAt(size_t i) const {
  const size_t begin = i == 0 ? 0 : ends_[i - 1];
  return {keys_.data() + begin, ends_[i] - begin};
}

void UserChunkBuilder::Add(const FilterKey& key) {
  const Slice bytes = key.user_key();
  if (ends_.empty() || KeyAt(ends_.size() - 1) != bytes) ++num_keys_;
  keys_.append(bytes.data(), bytes.size());
  ends_.push_back(keys_.size());
}

Result<std::string> UserChunkBuilder::Finish() {
  if (ends_.empty()) return std::string();
  if (ends_.size() > std::numeric_limits<int>::max()) {
    return Status::NotSupported("too many keys for one call of CreateFilter");
  }
  std::vector<Slice> keys;
  keys.reserve(ends_.size());
  for (size_t i = 0; i < ends_.size(); ++i) keys.push_back(KeyAt(i));
  std::string chunk;
  policy_->CreateFilter(keys.data(), static_cast<int>(keys.size()), &chunk);
  keys_.clear();
  ends_.clear();
  num_keys_ = 0;
  if (chunk.empty()) {
    return NoFilterForKeys(policy_->Name(), "CreateFilter", 0);
  }
  return chunk;
}

UserFilterReader::UserFilterReader(FilterPlacement placement,
                                   const FilterPolicy* policy,
                                   const FilterSource* source)
    : FilterBlockReader(placement, source), policy_(policy) {
  if (placement != FilterPlacement::kFull) return;
  Result<PinnedBytes> filter = source->LoadFor(Slice(), ReadContext());
  if (filter.ok()) {
    bytes_ = std::move(*filter);
    full_ = Open(bytes_.bytes());
  }
  Keep(full_.view);
}

OpenedFilter UserFilterReader::Open(const Slice& filter) const {
  if (IsEmptyFilter(filter)) return {FilterView::NeverMatch(), nullptr};
  std::unique_ptr<FilterBitsReader> reader(
      policy_->GetFilterBitsReader(filter));
  if (reader == nullptr) return {};
  const FilterView view(&AskUserReader, filter, UserState{reader.get()});
  return {view, std::move(reader)};
}

}  // namespace tamis
