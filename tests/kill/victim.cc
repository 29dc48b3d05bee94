// SPDX-License-Identifier: Apache-2.0
#include "tests/kill/victim.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <signal.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tamis/table.h"
#include "tamis/utilities/merge_operators.h"

namespace tamis::kill {

namespace {

void Require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "victim: %s\n", status.ToString().c_str());
  ::_exit(1);
}

}  // namespace

Victim::Victim(const Round& round, const Models& models, ExpectedState* state)
    : round_(round),
      options_(OptionsOf(round.setting)),
      models_(models),
      state_(*state) {}

Victim::~Victim() {
  for (ColumnFamilyHandle* family : families_) delete family;
}

void Victim::Start() {
  Open();
  for (uint32_t t = 0; t < kThreads; ++t) {
    std::thread([this, t] { Work(t); }).detach();
  }
}

void Victim::Open() {
  std::vector<std::string> names;
  Require(ListFamilies(round_.directory, &names));
  const auto descriptors = Descriptors(options_, names);
  std::vector<ColumnFamilyHandle*> handles;
  Require(DB::Open(options_, round_.directory, descriptors, &handles, &db_));
  for (ColumnFamilyHandle* handle : handles) {
    for (size_t i = 0; i < kFamilies; ++i) {
      if (handle->GetName() == kFamilyNames[i]) families_[i] = handle;
    }
  }
}

void Victim::Work(uint32_t thread) {
  Row row(round_.seed, round_.number, thread, models_[thread]);
  ExpectedState::Progress& progress = state_.of(thread);
  while (true) {
    const Operation operation = row.Next();
    ++progress.begun;
    Require(Do(operation));
    ++progress.acknowledged;
  }
}

Status Victim::Do(const Operation& operation) {
  ColumnFamilyHandle*& fourth = families_[kFourth];
  switch (operation.kind) {
    case Operation::Kind::kWrite:
      return Write(operation);
    case Operation::Kind::kFlush: {
      FlushOptions flush;
      flush.wait = operation.sync;
      return db_->Flush(flush, families_[operation.family]);
    }
    case Operation::Kind::kCompactRange:
      return db_->CompactRange(CompactRangeOptions(),
                               families_[operation.family], nullptr, nullptr);
    case Operation::Kind::kCreateFourth:
      return db_->CreateColumnFamily(
          Descriptors(options_, {kFamilyNames[kFourth]}).back().options,
          kFamilyNames[kFourth], &fourth);
    case Operation::Kind::kDropFourth: {
      const Status dropped = db_->DropColumnFamily(fourth);
      if (!dropped.ok()) return dropped;
      return db_->DestroyColumnFamilyHandle(std::exchange(fourth, nullptr));
    }
  }
  return Status::OK();
}

Status Victim::Write(const Operation& operation) {
  WriteBatch batch;
  for (const Change& change : operation.changes) {
    ColumnFamilyHandle* const family = families_[change.family];
    switch (change.kind) {
      case Change::Kind::kPut:
        Require(batch.Put(family, change.key, change.value));
        break;
      case Change::Kind::kDelete:
        Require(batch.Delete(family, change.key));
        break;
      case Change::Kind::kSingleDelete:
        Require(batch.SingleDelete(family, change.key));
        break;
      case Change::Kind::kDeleteRange:
        Require(batch.DeleteRange(family, change.key, change.value));
        break;
      case Change::Kind::kMerge:
        Require(batch.Merge(family, change.key, change.value));
        break;
    }
  }
  WriteOptions options;
  options.sync = operation.sync || round_.setting.every_write_synced;
  return db_->Write(options, &batch);
}

Options OptionsOf(const Setting& setting) {
  BlockBasedTableOptions table;
  table.block_size = 1024;
  Options options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.write_buffer_size = 64 * 1024;
  options.target_file_size_base = 64 * 1024;
  options.max_bytes_for_level_base = 128 * 1024;
  options.max_bytes_for_level_multiplier = 4;
  setting.change(&options, &table);
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  return options;
}

std::vector<ColumnFamilyDescriptor> Descriptors(
    const Options& options, const std::vector<std::string>& names) {
  std::vector<ColumnFamilyDescriptor> descriptors;
  for (size_t i = 0; i < kFamilies; ++i) {
    const bool listed =
        std::find(names.begin(), names.end(), kFamilyNames[i]) != names.end();
    if (i == kFourth && !listed) continue;
    ColumnFamilyOptions family(options);
    family.comparator = ComparatorOf(i);
    if (i == kMerging) {
      family.merge_operator = MergeOperators::CreateStringAppendOperator();
    }
    descriptors.emplace_back(kFamilyNames[i], family);
  }
  return descriptors;
}

Status ListFamilies(const std::string& directory,
                    std::vector<std::string>* names) {
  names->clear();
  if (::access((directory + "/CURRENT").c_str(), F_OK) != 0) {
    return Status::OK();
  }
  return DB::ListColumnFamilies(DBOptions(), directory, names);
}

void RunAndKill(const Round& round, const Models& models, Moment moment,
                ExpectedState* state) {
  state->Reset();
  const pid_t child = ::fork();
  if (child == 0) {
    Victim victim(round, models, state);
    victim.Start();
    while (true) ::pause();
  }
  ASSERT_GT(child, 0);
  // How fast it is depends on the machine, and on what else that does.
  int status = 0;
  pid_t ended = 0;
  while (ended == 0 && state->acknowledged() < moment.operations) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    ended = ::waitpid(child, &status, WNOHANG);
  }
  if (ended == 0) {
    std::this_thread::sleep_for(moment.later);
    ::kill(child, SIGKILL);
    ended = ::waitpid(child, &status, 0);
  }
  EXPECT_EQ(ended, child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
      << "the victim ended by itself, wait status " << status;
}

}  // namespace tamis::kill
