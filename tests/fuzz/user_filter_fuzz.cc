// SPDX-License-Identifier: Apache-2.0
//
// Filters of a user's policy: any bytes as one, which the policy reads or
// rejects; and policies that build invalid filters. A key that was added to a
// filter matches, and if a policy returns too few bytes, building fails.
//
//   input := mode u8 | placement u8 | bytes u8 | ...
//   mode     0 key length u8 | key | filter
//            1 keys, through FilterBitsBuilder; bytes: of each filter
//            2 keys, through CreateFilter; bytes: of each chunk
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "filter/user_filter.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {
namespace {

// Whether a filter holds a key is for its last byte to say: 'n' no, 'r' there
// is no reader, else yes.
class Reader final : public FilterBitsReader {
 public:
  explicit Reader(const Slice& contents) : contents_(contents) {}
  bool MayMatch(const Slice& /*entry*/) override {
    return contents_.end()[-1] != 'n';
  }

 private:
  const Slice contents_;
};

class Builder final : public FilterBitsBuilder {
 public:
  explicit Builder(size_t bytes) : bytes_(bytes) {}
  void AddKey(const Slice& /*key*/) override { ++keys_; }
  size_t EstimateEntriesAdded() override { return keys_; }
  Slice Finish(std::unique_ptr<const char[]>* buf) override {
    auto owner = std::make_unique<char[]>(bytes_ + 1);
    std::fill_n(owner.get(), bytes_, 'y');
    const char* const begin = owner.get();
    buf->reset(owner.release());
    return {begin, bytes_};
  }
  size_t ApproximateNumEntries(size_t bytes) override { return bytes; }

 private:
  const size_t bytes_;
  size_t keys_ = 0;
};

class Policy final : public FilterPolicy {
 public:
  explicit Policy(size_t bytes) : bytes_(bytes) {}
  const char* Name() const override { return "fuzz"; }
  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    Claim(contents.size() > 5);
    return contents.end()[-1] == 'r' ? nullptr : new Reader(contents);
  }
  void CreateFilter(const Slice* keys, int n,
                    std::string* filter) const override {
    for (int i = 0; i < n; ++i) Claim(keys[i].size() < 32);
    filter->append(bytes_, 'y');
  }
  bool KeyMayMatch(const Slice& /*key*/, const Slice& filter) const override {
    return filter.end()[-1] != 'n';
  }

 private:
  const size_t bytes_;
};

class Source final : public FilterSource, public FilterSink {
 public:
  Result<PinnedBytes> Load(const FilterPosition& /*at*/,
                           const ReadContext& /*context*/) const override {
    if (fails) return Status::IOError("filter");
    return PinnedBytes::Borrow(bytes);
  }
  Status WriteFilter(size_t /*ordinal*/, PendingFilter filter,
                     const Slice* /*last_key*/) override {
    Result<std::string> built = filter.Build({});
    if (!built.ok()) return built.status();
    bytes = *std::move(built);
    return Status::OK();
  }

  std::string bytes;
  bool fails = false;
};

void Ask(FuzzInput input, FilterPlacement placement, const Policy& policy) {
  const std::string key = input.Bytes(input.Byte() % 32);
  Source source;
  source.fails = input.Byte() == 'f';
  source.bytes = input.Rest();
  const auto reader =
      NewFilterBlockReader({placement, policy.Name()}, &source, &policy);
  Claim(reader != nullptr && reader->placement() == placement);
  if (placement == FilterPlacement::kBlockBased) {
    const bool may = reader->BlockMayMatch(FilterKey(key), 0, ReadContext());
    Claim(may || !source.fails);
    return;
  }
  const bool may = reader->KeyMayMatch(FilterKey(key), key, ReadContext());
  const bool expected =
      source.fails || (source.bytes.size() > 5 && source.bytes.back() != 'n');
  Claim(may == expected);
}

// Up to 64 of them, some equal to the one before.
std::vector<std::string> TakeKeys(FuzzInput* input) {
  std::vector<std::string> keys;
  while (!input->empty() && keys.size() < 64) {
    const uint8_t length = input->Byte();
    keys.push_back(length == 0xff && !keys.empty() ? keys.back()
                                                   : input->Bytes(length % 32));
  }
  return keys;
}

FilterPlan PlanOf(FilterPlacement placement, const Policy& policy,
                  size_t bytes) {
  FilterPlan plan;
  plan.placement = placement;
  plan.keys_per_partition = 8;
  plan.family = policy.Name();
  if (placement == FilterPlacement::kBlockBased) {
    plan.new_builder = [bytes] {
      return std::make_unique<UserChunkBuilder>(
          std::make_shared<const Policy>(bytes));
    };
    return plan;
  }
  plan.new_builder = [bytes] {
    return std::make_unique<UserFilterBuilder>("fuzz", [bytes] {
      // No builder for what would be empty.
      return bytes == 0 ? nullptr : std::make_unique<Builder>(bytes);
    });
  };
  return plan;
}

void BuildAndAsk(FuzzInput input, FilterPlacement placement, size_t bytes) {
  const Policy policy(bytes);
  const std::vector<std::string> keys = TakeKeys(&input);
  Source source;
  const FilterPlan plan = PlanOf(placement, policy, bytes);
  const auto writer = NewFilterBlockWriter(plan);
  writer->StartDataBlock(0);
  for (const std::string& key : keys) writer->Add(FilterKey(key));
  Status status = writer->EndDataBlock(nullptr, false, source);
  if (status.ok()) status = writer->Finish(source);
  const size_t least = placement == FilterPlacement::kBlockBased ? 1 : 6;
  Claim(status.ok() == (keys.empty() || bytes >= least));
  if (!status.ok()) {
    Claim(status.IsInvalidArgument());
    return;
  }
  if (keys.empty()) return;
  const auto reader =
      NewFilterBlockReader({placement, policy.Name()}, &source, &policy);
  for (const std::string& key : keys) {
    Claim(reader->KeyMayMatch(FilterKey(key), key, ReadContext()));
    Claim(reader->BlockMayMatch(FilterKey(key), 0, ReadContext()));
  }
}

void Fuzz(FuzzInput input) {
  const uint8_t mode = input.Byte() % 3;
  const auto placement = static_cast<FilterPlacement>(input.Byte() % 3);
  const size_t bytes = input.Byte() % 16;
  switch (mode) {
    case 0:
      return Ask(input, placement, Policy(bytes));
    case 1:
      return BuildAndAsk(input,
                         placement == FilterPlacement::kBlockBased
                             ? FilterPlacement::kFull
                             : placement,
                         bytes);
    default:
      return BuildAndAsk(input, FilterPlacement::kBlockBased, bytes);
  }
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
