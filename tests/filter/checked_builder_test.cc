// SPDX-License-Identifier: Apache-2.0
#include "filter/checked_builder.h"

#include <string>

#include <gtest/gtest.h>

#include "filter/cache_local_bloom.h"
#include "filter/fast_local_bloom.h"
#include "filter/leveldb_bloom.h"
#include "filter/ribbon.h"

namespace tamis {
namespace {

// Builders of another codec that lose every nth key.
class LosingCodec final : public FilterCodec {
 public:
  LosingCodec(const FilterCodec* base, size_t every)
      : base_(*base), every_(every) {}

  std::string_view name() const override { return "Losing"; }
  std::unique_ptr<FilterBuilder> NewBuilder(
      double bits_per_key) const override {
    return std::make_unique<Builder>(base_.NewBuilder(bits_per_key), every_);
  }
  size_t EstimateSizeBytes(double bits_per_key, size_t keys) const override {
    return base_.EstimateSizeBytes(bits_per_key, keys);
  }
  size_t KeysThatFit(double bits_per_key, size_t bytes) const override {
    return base_.KeysThatFit(bits_per_key, bytes);
  }
  FilterView Open(const Slice& filter) const override {
    return base_.Open(filter);
  }
  double PredictedFalsePositiveRate(const Slice& filter,
                                    size_t num_keys) const override {
    return base_.PredictedFalsePositiveRate(filter, num_keys);
  }
  std::string Parameters(const Slice& filter) const override {
    return base_.Parameters(filter);
  }

 private:
  class Builder final : public FilterBuilder {
   public:
    Builder(std::unique_ptr<FilterBuilder> base, size_t every)
        : base_(std::move(base)), every_(every) {}
    void Add(const FilterKey& key) override {
      if (++seen_ % every_ != 0) base_->Add(key);
    }
    size_t num_keys() const override { return base_->num_keys(); }
    size_t EstimateSizeBytes() const override {
      return base_->EstimateSizeBytes();
    }
    size_t ApproximateMemoryUsage() const override {
      return base_->ApproximateMemoryUsage();
    }
    Result<std::string> Finish() override { return base_->Finish(); }

   private:
    const std::unique_ptr<FilterBuilder> base_;
    const size_t every_;
    size_t seen_ = 0;
  };

  const FilterCodec& base_;
  const size_t every_;
};

constexpr double kCheckedBits = 12;
constexpr int kCheckedKeys = 1000;

void AddKeys(FilterBuilder* to) {
  for (int i = 0; i < kCheckedKeys; ++i) {
    // Also bytes in which the two flavors of Hash32 differ.
    to->Add(FilterKey("key" + std::to_string(i) + "\xff"));
  }
}

class CheckedBuilderTest : public testing::TestWithParam<const FilterCodec*> {};

TEST_P(CheckedBuilderTest, AFilterOfAllKeysIsTheSame) {
  const auto plain = GetParam()->NewBuilder(kCheckedBits);
  const auto checked = NewCheckedBuilder(GetParam(), kCheckedBits);
  for (int round = 0; round < 2; ++round) {
    AddKeys(plain.get());
    AddKeys(checked.get());
    EXPECT_EQ(checked->num_keys(), plain->num_keys());
    EXPECT_EQ(checked->EstimateSizeBytes(), plain->EstimateSizeBytes());
    EXPECT_GE(checked->ApproximateMemoryUsage(),
              plain->ApproximateMemoryUsage() + 16 * kCheckedKeys);
    const Result<std::string> filter = checked->Finish();
    ASSERT_TRUE(filter.ok()) << filter.status();
    EXPECT_EQ(*filter, *plain->Finish());
  }
}

TEST_P(CheckedBuilderTest, AFilterThatDeniesAKeyIsCorrupt) {
  const LosingCodec codec(GetParam(), 100);
  const auto builder = NewCheckedBuilder(&codec, kCheckedBits);
  AddKeys(builder.get());
  const Status status = builder->Finish().status();
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.ToString().find("of the 1000 keys that went into it"),
            std::string::npos)
      << status;
}

INSTANTIATE_TEST_SUITE_P(Codecs, CheckedBuilderTest,
                         testing::Values(FastLocalBloomCodec(), RibbonCodec(),
                                         CacheLocalBloomCodec(),
                                         LevelDBBloomCodec()),
                         [](const auto& param) {
                           return std::string(param.param->name());
                         });

}  // namespace
}  // namespace tamis
