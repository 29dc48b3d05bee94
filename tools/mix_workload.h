// SPDX-License-Identifier: Apache-2.0
//
// The distributions of mixgraph, a model of what RocksDB sees below a social
// graph (Cao et al., "Characterizing, Modeling, and Benchmarking RocksDB
// Key-Value Workloads at Facebook", FAST 2020, section 7), with the parameters
// of RocksDB's db_bench:
//
//   which range of keys   a * e^(b i) + c * e^(d i), over ranges of equal size
//   which key in it       a * x^b, of keys by how often they are chosen
//   value sizes, scans    the generalized Pareto distribution
//
// Samplers are deterministic: the same uniform numbers give the same samples.
#pragma once

#include <cstdint>
#include <vector>

namespace tamis::mix {

// The generalized Pareto distribution of location theta, shape k and scale
// sigma.
struct Pareto {
  double theta = 0;
  double k = 0;
  double sigma = 1;

  // Returns the value that a share `u` of all samples exceeds. REQUIRES: u is
  // above 0 and at most 1; sigma > 0.
  double Sample(double u) const;
};

// How often keys are chosen.
struct KeyModel {
  uint64_t keys = 1;
  uint64_t ranges = 1;
  // All 0: ranges are chosen uniformly.
  double range_a = 0;
  double range_b = 0;
  double range_c = 0;
  double range_d = 0;
  // A key's rank is (u / a)^(1 / b). One of them 0: keys are chosen uniformly.
  double key_a = 0;
  double key_b = 0;
};

// Chooses keys. Ranges have their weights in random order, and ranks are spread
// over the keys of a range, so that hot ones are not neighbours. Any thread.
class KeySampler {
 public:
  // REQUIRES: 1 <= model.ranges <= model.keys.
  KeySampler(const KeyModel& model, uint64_t seed);

  // Returns a number below model.keys. Both arguments are uniform, above 0 and
  // at most 1.
  uint64_t Sample(double u_range, double u_key) const;

 private:
  const KeyModel model_;
  std::vector<double> shares_;   // of the ranges up to each; the last is 1
  std::vector<uint64_t> order_;  // the number of each range
};

// Operations per second that vary as a * sin(b t + c) + d; t is in seconds.
struct SineRate {
  double a = 1;
  double b = 1;
  double c = 0;
  double d = 1;

  // At least 1.
  double At(double seconds) const;
};

}  // namespace tamis::mix
