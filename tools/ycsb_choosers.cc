// SPDX-License-Identifier: Apache-2.0
#include "tools/ycsb_choosers.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tamis::ycsb {

namespace {

constexpr uint64_t kSummed = 1024;

// In [0, 1).
double Fraction(Random* random) {
  return static_cast<double>(random->Next() >> 11) * 0x1p-53;
}

}  // namespace

double Zeta(uint64_t n, double theta) {
  double sum = 0;
  for (uint64_t i = std::min(n, kSummed); i > 0; --i) {
    sum += std::pow(static_cast<double>(i), -theta);
  }
  if (n <= kSummed) return sum;
  const auto a = static_cast<double>(kSummed);
  const auto b = static_cast<double>(n);
  const double area =
      (std::pow(b, 1 - theta) - std::pow(a, 1 - theta)) / (1 - theta);
  const double ends = (std::pow(b, -theta) - std::pow(a, -theta)) / 2;
  const double slopes =
      theta * (std::pow(a, -theta - 1) - std::pow(b, -theta - 1)) / 12;
  return sum + area + ends + slopes;
}

uint64_t UniformChooser::Next(uint64_t items, Random* random) {
  return random->Uniform(items);
}

ZipfianChooser::ZipfianChooser(double theta)
    : theta_(theta), alpha_(1 / (1 - theta)), zeta2_(Zeta(2, theta)) {}

void ZipfianChooser::SetItems(uint64_t items) {
  // Few: the terms between are cheaper than the whole sum.
  if (items_ > 0 && items >= items_ && items - items_ < 64) {
    for (uint64_t i = items_ + 1; i <= items; ++i) {
      zeta_ += std::pow(static_cast<double>(i), -theta_);
    }
  } else {
    zeta_ = Zeta(items, theta_);
  }
  items_ = items;
  eta_ = (1 - std::pow(2 / static_cast<double>(items), 1 - theta_)) /
         (1 - zeta2_ / zeta_);
}

uint64_t ZipfianChooser::Next(uint64_t items, Random* random) {
  if (items != items_) SetItems(items);
  const double u = Fraction(random);
  const double scaled = u * zeta_;
  if (scaled < 1) return 0;
  if (scaled < zeta2_ || items <= 2) return 1;
  const double item =
      static_cast<double>(items) * std::pow(eta_ * u - eta_ + 1, alpha_);
  return std::clamp<uint64_t>(static_cast<uint64_t>(item), 2, items - 1);
}

double ZipfianChooser::ProbabilityBelow(double item, uint64_t items) {
  if (items != items_) SetItems(items);
  if (items <= 2) return 1;
  const double part = item / static_cast<double>(items);
  return 1 - (1 - std::pow(part, 1 - theta_)) / eta_;
}

Permutation::Permutation(uint64_t n) : n_(n) {
  const int bits = std::max(1, static_cast<int>(std::bit_width(n - 1)));
  mask_ = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  shift_ = (bits + 1) / 2;
}

// Each step can be undone, so the whole is a permutation of [0, mask_].
uint64_t Permutation::Mix(uint64_t x) const {
  constexpr uint64_t kOdd[] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9,
                               0x94d049bb133111eb};
  for (const uint64_t odd : kOdd) {
    x = (x * odd + (odd >> 7)) & mask_;
    x ^= x >> shift_;
  }
  return x;
}

// Numbers from n on are mapped once more, until one below n results.
uint64_t Permutation::operator[](uint64_t i) const {
  do {
    i = Mix(i);
  } while (i >= n_);
  return i;
}

ScrambledZipfianChooser::ScrambledZipfianChooser(uint64_t most, double theta)
    : most_(most), ranks_(theta), permutation_(most) {}

uint64_t ScrambledZipfianChooser::Next(uint64_t items, Random* random) {
  for (;;) {
    const uint64_t item = permutation_[ranks_.Next(most_, random)];
    if (item < items) return item;
  }
}

uint64_t LatestChooser::Next(uint64_t items, Random* random) {
  return items - 1 - ages_.Next(items, random);
}

bool ParseDistribution(std::string_view name, Distribution* distribution) {
  if (name == "uniform") {
    *distribution = Distribution::kUniform;
  } else if (name == "zipfian") {
    *distribution = Distribution::kZipfian;
  } else if (name == "scrambled_zipfian") {
    *distribution = Distribution::kScrambledZipfian;
  } else if (name == "latest") {
    *distribution = Distribution::kLatest;
  } else {
    return false;
  }
  return true;
}

std::unique_ptr<Chooser> NewChooser(Distribution distribution, uint64_t most) {
  switch (distribution) {
    case Distribution::kZipfian:
      return std::make_unique<ZipfianChooser>();
    case Distribution::kScrambledZipfian:
      return std::make_unique<ScrambledZipfianChooser>(most);
    case Distribution::kLatest:
      return std::make_unique<LatestChooser>();
    case Distribution::kUniform:
      break;
  }
  return std::make_unique<UniformChooser>();
}

}  // namespace tamis::ycsb
