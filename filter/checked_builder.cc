// SPDX-License-Identifier: Apache-2.0
#include "filter/checked_builder.h"

#include <algorithm>
#include <string>
#include <vector>

namespace tamis {

namespace {

class CheckedBuilder final : public FilterBuilder {
 public:
  CheckedBuilder(const FilterCodec* codec, double bits_per_key)
      : codec_(*codec), builder_(codec->NewBuilder(bits_per_key)) {}

  void Add(const FilterKey& key) override {
    builder_->Add(key);
    keys_.push_back(key.AllHashes());
  }
  size_t num_keys() const override { return builder_->num_keys(); }
  size_t EstimateSizeBytes() const override {
    return builder_->EstimateSizeBytes();
  }
  size_t ApproximateMemoryUsage() const override {
    return builder_->ApproximateMemoryUsage() +
           keys_.capacity() * sizeof(FilterKey::Hashes);
  }

  void UseHelpers(const Helpers& helpers) override {
    builder_->UseHelpers(helpers);
  }

  Result<std::string> Finish() override {
    Result<std::string> filter = builder_->Finish();
    if (!filter.ok()) return filter;
    const FilterView view = codec_.Open(*filter);
    const auto denied = std::count_if(
        keys_.begin(), keys_.end(), [&view](const FilterKey::Hashes& hashes) {
          return !view.MayMatch(FilterKey(hashes));
        });
    if (denied > 0) {
      return Status::Corruption(
          "a new filter, " + std::string(codec_.name()),
          "it denies " + std::to_string(denied) + " of the " +
              std::to_string(keys_.size()) +
              " keys that went into it. The table was not used");
    }
    keys_.clear();
    return filter;
  }

 private:
  const FilterCodec& codec_;
  const std::unique_ptr<FilterBuilder> builder_;
  std::vector<FilterKey::Hashes> keys_;
};

}  // namespace

std::unique_ptr<FilterBuilder> NewCheckedBuilder(const FilterCodec* codec,
                                                 double bits_per_key) {
  return std::make_unique<CheckedBuilder>(codec, bits_per_key);
}

}  // namespace tamis
