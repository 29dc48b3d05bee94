// SPDX-License-Identifier: Apache-2.0
//
// Choosers pick the items that a YCSB workload reads and writes (Cooper,
// Silberstein, Tam, Ramakrishnan, Sears, "Benchmarking Cloud Serving Systems
// with YCSB", SoCC 2010). An item is a number from 0; items are added at the
// end.
//
//   uniform            every item is equally likely
//   zipfian            item i has a probability of about 1 / (i + 1)^theta
//   scrambled zipfian  the same probabilities, spread over all items
//   latest             the newest item has the probability of zipfian's item 0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "util/base/random.h"

namespace tamis::ycsb {

inline constexpr double kZipfianTheta = 0.99;  // YCSB's

// One thread.
class Chooser {
 public:
  virtual ~Chooser() = default;
  // Returns an item in [0, items). REQUIRES: items > 0, and not below the
  // previous call's.
  virtual uint64_t Next(uint64_t items, Random* random) = 0;
};

// Returns the sum of 1 / i^theta for i from 1 to n. Adds up the first 1024
// terms; the others by the formula of Euler and Maclaurin, with an error below
// 1e-12. REQUIRES: theta != 1
double Zeta(uint64_t n, double theta);

class UniformChooser final : public Chooser {
 public:
  uint64_t Next(uint64_t items, Random* random) override;
};

// The generator of Gray, Sundaresan, Englert, Baclawski, Weinberger, "Quickly
// Generating Billion-Record Synthetic Databases", SIGMOD 1994, as in YCSB. The
// probabilities of items 0 and 1 are exact. Those of the others are the areas
// under a curve: with a theta of 0.99, item 2 is 1.2 times as likely as it
// should be, items beyond 20 deviate by less than a twentieth.
class ZipfianChooser final : public Chooser {
 public:
  // REQUIRES: 0 < theta < 1
  explicit ZipfianChooser(double theta = kZipfianTheta);
  uint64_t Next(uint64_t items, Random* random) override;
  // Returns the probability that Next(items) is below `item`, for an item from
  // 2 to `items`.
  double ProbabilityBelow(double item, uint64_t items);

 private:
  void SetItems(uint64_t items);

  const double theta_;
  const double alpha_;
  const double zeta2_;
  uint64_t items_ = 0;
  double zeta_ = 0;  // of items_
  double eta_ = 0;
};

// Maps [0, n) onto itself such that neighbours lie far apart. Any thread.
class Permutation {
 public:
  // REQUIRES: n > 0
  explicit Permutation(uint64_t n);
  // REQUIRES: i < n
  uint64_t operator[](uint64_t i) const;

 private:
  uint64_t Mix(uint64_t x) const;

  const uint64_t n_;
  uint64_t mask_;  // a power of two minus one, not below n - 1
  int shift_;
};

// ZipfianChooser over `most` items, permuted; draws again where an item does
// not exist yet. YCSB hashes the ranks of 10^10 items to the existing ones
// instead, which may give several ranks to one item, and makes the most popular
// ones less popular than the paper has them.
class ScrambledZipfianChooser final : public Chooser {
 public:
  // REQUIRES: 0 < most, and 0 < theta < 1
  explicit ScrambledZipfianChooser(uint64_t most, double theta = kZipfianTheta);
  // Items from `most` on are never chosen.
  uint64_t Next(uint64_t items, Random* random) override;

 private:
  const uint64_t most_;
  ZipfianChooser ranks_;
  const Permutation permutation_;
};

class LatestChooser final : public Chooser {
 public:
  // REQUIRES: 0 < theta < 1
  explicit LatestChooser(double theta = kZipfianTheta) : ages_(theta) {}
  uint64_t Next(uint64_t items, Random* random) override;

 private:
  ZipfianChooser ages_;
};

enum class Distribution : uint8_t {
  kUniform,
  kZipfian,
  kScrambledZipfian,
  kLatest,
};

// Sets *distribution to "uniform", "zipfian", "scrambled_zipfian" or "latest".
// Returns false if the name is none of these.
bool ParseDistribution(std::string_view name, Distribution* distribution);

// `most`: the items that there may be at the end.
std::unique_ptr<Chooser> NewChooser(Distribution distribution, uint64_t most);

}  // namespace tamis::ycsb
