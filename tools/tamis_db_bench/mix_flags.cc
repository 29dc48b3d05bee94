// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/mix_flags.h"

#include <algorithm>

#include <gflags/gflags.h>

#include "tools/command_table.h"

DEFINE_int64(mix_accesses, -1,
             "operations of each thread of mixgraph; below 0: --reads");
TAMIS_FLAG(double, mix_get_ratio, 1, "X", "share of reads in mixgraph",
           tamis::AtLeast(0));
TAMIS_FLAG(double, mix_put_ratio, 0, "X", "share of writes in mixgraph",
           tamis::AtLeast(0));
TAMIS_FLAG(double, mix_seek_ratio, 0, "X", "share of scans in mixgraph",
           tamis::AtLeast(0));
TAMIS_FLAG(int64, mix_max_value_size, 1024, "N",
           "bytes that a value of mixgraph is smaller than",
           tamis::Between(1, 1 << 20));
TAMIS_FLAG(int64, mix_max_scan_len, 10000, "N",
           "entries that a scan of mixgraph is shorter than",
           tamis::AtLeast(1));
DEFINE_double(value_theta, 0, "value sizes of mixgraph: Pareto's theta");
DEFINE_double(value_k, 0.2615, "value sizes of mixgraph: Pareto's k");
TAMIS_FLAG(double, value_sigma, 25.45, "X",
           "value sizes of mixgraph: Pareto's sigma", tamis::AtLeast(1e-9));
DEFINE_double(iter_theta, 0, "scan lengths of mixgraph: Pareto's theta");
DEFINE_double(iter_k, 2.517, "scan lengths of mixgraph: Pareto's k");
TAMIS_FLAG(double, iter_sigma, 14.236, "X",
           "scan lengths of mixgraph: Pareto's sigma", tamis::AtLeast(1e-9));
DEFINE_double(key_dist_a, 0, "keys of mixgraph: a of a*x^b; 0: uniform");
DEFINE_double(key_dist_b, 0, "keys of mixgraph: b of a*x^b; 0: uniform");
TAMIS_FLAG(int64, keyrange_num, 1, "N", "ranges of the keys of mixgraph",
           tamis::Between(1, 1 << 24));
DEFINE_double(keyrange_dist_a, 0,
              "key ranges of mixgraph: a of a*e^(bx)+c*e^(dx)");
DEFINE_double(keyrange_dist_b, 0, "key ranges of mixgraph: b");
DEFINE_double(keyrange_dist_c, 0, "key ranges of mixgraph: c");
DEFINE_double(keyrange_dist_d, 0, "key ranges of mixgraph: d");
DEFINE_bool(sine_mix_rate, false,
            "operations per second of mixgraph follow a*sin(b*t+c)+d");
DEFINE_double(sine_a, 1, "a of --sine_mix_rate, of all threads");
DEFINE_double(sine_b, 1, "b of --sine_mix_rate, for t in seconds");
DEFINE_double(sine_c, 0, "c of --sine_mix_rate");
DEFINE_double(sine_d, 1, "d of --sine_mix_rate");
TAMIS_FLAG(double, sine_mix_rate_noise, 0, "X",
           "share by which --sine_mix_rate varies at random",
           tamis::Between(0, 1));
TAMIS_FLAG(uint64, sine_mix_rate_interval_milliseconds, 10000, "N",
           "between two changes of the rate", tamis::AtLeast(1));

namespace tamis::bench {

Status MixOfFlags(uint64_t num, MixSettings* mix) {
  if (!(FLAGS_mix_get_ratio + FLAGS_mix_put_ratio + FLAGS_mix_seek_ratio > 0)) {
    return Status::InvalidArgument(
        "--mix_get_ratio, --mix_put_ratio and --mix_seek_ratio are all 0");
  }
  const auto ranges = static_cast<uint64_t>(FLAGS_keyrange_num);
  if (ranges > num) {
    return Status::InvalidArgument("--keyrange_num is above --num");
  }
  mix->accesses =
      static_cast<uint64_t>(std::max<int64_t>(FLAGS_mix_accesses, 0));
  mix->get_ratio = FLAGS_mix_get_ratio;
  mix->put_ratio = FLAGS_mix_put_ratio;
  mix->seek_ratio = FLAGS_mix_seek_ratio;
  mix->keys = {.keys = num,
               .ranges = ranges,
               .range_a = FLAGS_keyrange_dist_a,
               .range_b = FLAGS_keyrange_dist_b,
               .range_c = FLAGS_keyrange_dist_c,
               .range_d = FLAGS_keyrange_dist_d,
               .key_a = FLAGS_key_dist_a,
               .key_b = FLAGS_key_dist_b};
  mix->value = {FLAGS_value_theta, FLAGS_value_k, FLAGS_value_sigma};
  mix->max_value_size = static_cast<uint64_t>(FLAGS_mix_max_value_size);
  mix->scan = {FLAGS_iter_theta, FLAGS_iter_k, FLAGS_iter_sigma};
  mix->max_scan_length = static_cast<uint64_t>(FLAGS_mix_max_scan_len);
  mix->sine_rate = FLAGS_sine_mix_rate;
  mix->sine = {FLAGS_sine_a, FLAGS_sine_b, FLAGS_sine_c, FLAGS_sine_d};
  mix->sine_noise = FLAGS_sine_mix_rate_noise;
  mix->sine_interval_millis = FLAGS_sine_mix_rate_interval_milliseconds;
  return Status::OK();
}

}  // namespace tamis::bench
