// SPDX-License-Identifier: Apache-2.0
//
// Statistics of databases, and the counters of a thread.
#include "tamis/perf_context.h"

#include "capi/call.h"
#include "capi/types.h"

struct tamis_statistics_histogram_data_t {
  tamis::HistogramData rep;
};
struct tamis_perfcontext_t {
  tamis::PerfContext* rep;
};

namespace tamis::capi {
namespace {

// The counters of RocksDB's numbers that exist here.
struct Metric {
  int number;
  uint64_t PerfContext::*counter;
};
#define METRIC(name) \
  { tamis_##name, &PerfContext::name }
constexpr Metric kMetrics[] = {
    METRIC(block_cache_hit_count),
    METRIC(block_read_count),
    METRIC(block_read_byte),
    METRIC(block_read_time),
    METRIC(block_checksum_time),
    METRIC(block_decompress_time),
    METRIC(get_read_bytes),
    METRIC(multiget_read_bytes),
    METRIC(iter_read_bytes),
    METRIC(internal_key_skipped_count),
    METRIC(internal_delete_skipped_count),
    METRIC(internal_recent_skipped_count),
    METRIC(internal_merge_count),
    METRIC(get_snapshot_time),
    METRIC(get_from_memtable_time),
    METRIC(get_from_memtable_count),
    METRIC(get_post_process_time),
    METRIC(get_from_output_files_time),
    METRIC(seek_on_memtable_time),
    METRIC(seek_on_memtable_count),
    METRIC(next_on_memtable_count),
    METRIC(prev_on_memtable_count),
    METRIC(seek_child_seek_time),
    METRIC(seek_child_seek_count),
    METRIC(seek_min_heap_time),
    METRIC(seek_max_heap_time),
    METRIC(seek_internal_seek_time),
    METRIC(find_next_user_entry_time),
    METRIC(write_wal_time),
    METRIC(write_memtable_time),
    METRIC(write_delay_time),
    METRIC(write_pre_and_post_process_time),
    METRIC(db_mutex_lock_nanos),
    METRIC(db_condition_wait_nanos),
    METRIC(merge_operator_time_nanos),
    METRIC(read_index_block_nanos),
    METRIC(read_filter_block_nanos),
    METRIC(new_table_block_iter_nanos),
    METRIC(new_table_iterator_nanos),
    METRIC(find_table_nanos),
    METRIC(bloom_memtable_hit_count),
    METRIC(bloom_memtable_miss_count),
    METRIC(bloom_sst_hit_count),
    METRIC(bloom_sst_miss_count),
    METRIC(internal_range_del_reseek_count),
};
#undef METRIC

}  // namespace
}  // namespace tamis::capi

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

void tamis_options_enable_statistics(tamis_options_t* opt) {
  Must([&] { opt->rep.statistics = CreateDBStatistics(); });
}

void tamis_options_set_statistics_level(tamis_options_t* opt, int level) {
  if (opt->rep.statistics == nullptr) return;
  opt->rep.statistics->set_stats_level(static_cast<StatsLevel>(level));
}

int tamis_options_get_statistics_level(tamis_options_t* opt) {
  if (opt->rep.statistics == nullptr) return kDisableAll;
  return opt->rep.statistics->get_stats_level();
}

char* tamis_options_statistics_get_string(tamis_options_t* opt) {
  if (opt->rep.statistics == nullptr) return nullptr;
  return Must([&] { return CopyOf(opt->rep.statistics->ToString()); });
}

uint64_t tamis_options_statistics_get_ticker_count(tamis_options_t* opt,
                                                   uint32_t ticker_type) {
  if (opt->rep.statistics == nullptr || ticker_type >= TICKER_ENUM_MAX) {
    return 0;
  }
  return opt->rep.statistics->getTickerCount(ticker_type);
}

void tamis_options_statistics_get_histogram_data(
    tamis_options_t* opt, uint32_t histogram_type,
    tamis_statistics_histogram_data_t* data) {
  data->rep = HistogramData();
  if (opt->rep.statistics == nullptr || histogram_type >= HISTOGRAM_ENUM_MAX) {
    return;
  }
  Must([&] { opt->rep.statistics->histogramData(histogram_type, &data->rep); });
}

tamis_statistics_histogram_data_t* tamis_statistics_histogram_data_create(
    void) {
  return Create<tamis_statistics_histogram_data_t>();
}

void tamis_statistics_histogram_data_destroy(
    tamis_statistics_histogram_data_t* data) {
  delete data;
}

#define HISTOGRAM_FIELD(type, name, field)         \
  type tamis_statistics_histogram_data_get_##name( \
      tamis_statistics_histogram_data_t* data) {   \
    return data->rep.field;                        \
  }
HISTOGRAM_FIELD(double, median, median)
HISTOGRAM_FIELD(double, p95, percentile95)
HISTOGRAM_FIELD(double, p99, percentile99)
HISTOGRAM_FIELD(double, average, average)
HISTOGRAM_FIELD(double, std_dev, standard_deviation)
HISTOGRAM_FIELD(double, max, max)
HISTOGRAM_FIELD(uint64_t, count, count)
HISTOGRAM_FIELD(uint64_t, sum, sum)
HISTOGRAM_FIELD(double, min, min)
#undef HISTOGRAM_FIELD

void tamis_set_perf_level(int level) {
  // Others change nothing, as in C++.
  constexpr PerfLevel kLevels[] = {kDisable, kEnableCount,
                                   kEnableTimeExceptForMutex, kEnableTime};
  if (level < tamis_disable || level >= tamis_out_of_bounds) return;
  SetPerfLevel(kLevels[level - tamis_disable]);
}

tamis_perfcontext_t* tamis_perfcontext_create(void) {
  return Must([] { return new tamis_perfcontext_t{get_perf_context()}; });
}

void tamis_perfcontext_reset(tamis_perfcontext_t* context) {
  context->rep->Reset();
}

char* tamis_perfcontext_report(tamis_perfcontext_t* context,
                               unsigned char exclude_zero_counters) {
  return Must([&] {
    return CopyOf(context->rep->ToString(exclude_zero_counters != 0));
  });
}

uint64_t tamis_perfcontext_metric(tamis_perfcontext_t* context, int metric) {
  for (const Metric& known : kMetrics) {
    if (known.number == metric) return context->rep->*known.counter;
  }
  return 0;
}

void tamis_perfcontext_destroy(tamis_perfcontext_t* context) { delete context; }
