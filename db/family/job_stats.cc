// SPDX-License-Identifier: Apache-2.0
#include "db/family/job_stats.h"

#include "util/base/check.h"

namespace tamis {

namespace {

constexpr uint64_t JobStats::*kFigures[] = {
    &JobStats::jobs,
    &JobStats::micros,
    &JobStats::cpu_micros,
    &JobStats::read_above,
    &JobStats::read_at_output,
    &JobStats::written,
    &JobStats::moved,
    &JobStats::entries_read,
    &JobStats::entries_dropped,
};
static_assert(sizeof(JobStats) ==
              sizeof(kFigures) / sizeof(kFigures[0]) * sizeof(uint64_t));

}  // namespace

JobStats& JobStats::operator+=(const JobStats& other) {
  for (const auto figure : kFigures) this->*figure += other.*figure;
  return *this;
}

JobStats& JobStats::operator-=(const JobStats& other) {
  for (const auto figure : kFigures) {
    TAMIS_DCHECK(this->*figure >= other.*figure);
    this->*figure -= other.*figure;
  }
  return *this;
}

StallCounts::Counts StallCounts::total() const {
  Counts sum;
  for (const Counts& one : causes) {
    sum.delays += one.delays;
    sum.stops += one.stops;
  }
  return sum;
}

void FamilyStats::Add(Level output_level, JobThreads on, const JobStats& job) {
  levels[output_level] += job;
  threads[static_cast<size_t>(on)] += job;
}

JobStats FamilyStats::Sum() const {
  JobStats sum;
  for (const JobStats& level : levels) sum += level;
  return sum;
}

}  // namespace tamis
