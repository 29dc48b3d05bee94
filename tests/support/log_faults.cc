// SPDX-License-Identifier: Apache-2.0
#include "tests/support/log_faults.h"

namespace tamis {

namespace {

using Logs = std::map<uint64_t, std::string>;

// A log of the records from..to.
RawLog Records(uint64_t from, uint64_t to, uint32_t number = 2,
               bool recycled = false) {
  RawLog log(number, recycled);
  for (uint64_t i = from; i <= to; ++i) log.Add(RawRecord(i));
  return log;
}

Outcomes All(const std::string& outcome) {
  return {outcome, outcome, outcome, outcome};
}

// Torn last records, as after a crash. Only AbsoluteConsistency rejects them.
void AddTornEnds(std::vector<LogFault>* faults) {
  const Outcomes torn = {"1234", "!bytes", "1234", "1234"};
  const size_t record = Records(1, 1).bytes().size();
  faults->push_back({"EndsInsideAHeader",
                     {{2, Records(1, 5).Cut(record - 3).bytes()}},
                     torn});
  faults->push_back(
      {"EndsInsideAPayload", {{2, Records(1, 5).Cut(2).bytes()}}, torn});
  faults->push_back(
      {"EndsBetweenTheParts",
       {{2, Records(1, 4).Add(RawRecord(5, 40000)).bytes().substr(0, 32768)}},
       {"1234", "!the rest of a record is missing", "1234", "1234"}});
  faults->push_back(
      {"EndsInsideALastPart",
       {{2, Records(1, 4).Add(RawRecord(5, 40000)).Cut(100).bytes()}},
       torn});
  const std::string noise =
      std::string("\x9c\x11\x83\xfa\xff\x7f\x01", 7) + std::string(50, 'n');
  faults->push_back({"RandomTailThatLooksTooLong",
                     {{2, Records(1, 5).AddBytes(noise).bytes()}},
                     {"12345", "!bytes", "12345", "12345"}});
  faults->push_back(
      {"ZeroTail",
       {{2, Records(1, 5).AddBytes(std::string(1000, '\0')).bytes()}},
       All("12345")});
  faults->push_back(
      {"ZeroTailOfBlocks",
       {{2, Records(1, 5).AddBytes(std::string(100000, '\0')).bytes()}},
       All("12345")});
}

// Corruption: all bytes are present, and some are wrong.
void AddDamage(std::vector<LogFault>* faults) {
  const auto with_bad_third = [] {
    return Records(1, 3).Flip(1).Add(RawRecord(4)).Add(RawRecord(5));
  };
  faults->push_back({"ChecksumErrorInTheThird",
                     {{2, with_bad_third().bytes()}},
                     {"!checksum", "!checksum", "12", "12"},
                     {},
                     /*set_aside=*/true});
  faults->push_back(
      {"ChecksumErrorInTheThirdAndBlocksBehindIt",
       {{2,
         with_bad_third().Add(RawRecord(6, 40000)).Add(RawRecord(7)).bytes()}},
       {"!checksum", "!checksum", "12", "127"},
       {},
       /*set_aside=*/true});
  faults->push_back({"ChecksumErrorInTheLast",
                     {{2, Records(1, 5).Flip(1).bytes()}},
                     {"!checksum", "!checksum", "1234", "1234"},
                     {},
                     /*set_aside=*/true});
  // Not 10 to 15: RocksDB 7.8.3 uses those numbers internally, for "end of
  // file" and other results.
  faults->push_back({"UnknownType",
                     {{2, Records(1, 2)
                              .AddPart(40, RawRecord(3))
                              .Add(RawRecord(4))
                              .Add(RawRecord(5))
                              .bytes()}},
                     {"!expected a known", "!expected a known", "12", "1245"},
                     {},
                     /*set_aside=*/true});
  faults->push_back(
      {"UnknownTypeThatMayBeSkipped",
       {{2, Records(1, 5).AddPart(0x8c, "news").bytes()}},
       All("12345"),
       {"!expected a known", "!expected a known", nullptr, nullptr},
       /*set_aside=*/false,
       "known as such from 9.11 on"});
  faults->push_back(
      {"ALastPartWithoutAFirst",
       {{2, Records(1, 2)
                .AddPart(4, RawRecord(3))
                .Add(RawRecord(4))
                .Add(RawRecord(5))
                .bytes()}},
       {"!expected the begin", "!expected the begin", "12", "1245"},
       {"!missing start", "!missing start", nullptr, nullptr},
       /*set_aside=*/true});
  faults->push_back(
      {"ZerosInsideABlock",
       {{2, Records(1, 2)
                .AddBytes(std::string(100, '\0'))
                .AddBytes(Records(3, 3).bytes())
                .FillBlock()
                .Add(RawRecord(4))
                .Add(RawRecord(5))
                .bytes()}},
       {"!header of zeros", "!header of zeros", "12", "1245"},
       {"1245", "1245", "1245", nullptr},
       /*set_aside=*/true,
       "RocksDB takes zeros for padding, whatever stands behind them"});
}

// Complete records with invalid contents, which no crash produces.
void AddBadBatches(std::vector<LogFault>* faults) {
  const auto third = [](const std::string& batch) -> Logs {
    return {
        {2,
         Records(1, 2).Add(batch).Add(RawRecord(4)).Add(RawRecord(5)).bytes()}};
  };
  const std::string put = RawPut("3", "v");
  faults->push_back(
      {"CountTooHigh", third(RawBatch(3, 2, put)), All("!count")});
  faults->push_back(
      {"CountTooLow", third(RawBatch(3, 1, put + put)), All("!count")});
  faults->push_back({"UnknownRecord", third(RawBatch(3, 1, put + "\x3f")),
                     All("!expected a known tag")});
  faults->push_back({"RecordShorterThanAHeader",
                     third("eleven byte"),
                     {"!11 bytes", "!11 bytes", "12", "1245"},
                     {"!too small", "!too small", nullptr, nullptr},
                     /*set_aside=*/true});
  faults->push_back({"SequenceGoesBack",
                     third(RawBatch(1, 1, put)),
                     All("!decrease"),
                     {"", "", "", ""},
                     /*set_aside=*/false,
                     "Debian's RocksDB 7.8.3 aborts"});
  faults->push_back({"EmptyBatches",
                     {{2, Records(1, 3)
                              .Add(RawCleanCloseMarker(4))
                              .Add(RawRecord(4))
                              .Add(RawRecord(5))
                              .Add(RawCleanCloseMarker(6))
                              .bytes()}},
                     All("12345")});
  const std::string xid("\x03xid", 4);
  const std::string prepared = "\x09" + put + "\x0a" + xid;
  const auto add_prepared = [&](const char* name, const std::string& records,
                                const char* expected) {
    faults->push_back({name,
                       third(RawBatch(3, 1, records)),
                       All(expected),
                       {"", "", "", ""},
                       /*set_aside=*/false,
                       "Debian's RocksDB 7.8.3 aborts"});
  };
  add_prepared("APreparedAndCommittedTransaction", prepared + "\x0b" + xid,
               "12345");
  add_prepared("APreparedAndRolledBackTransaction", prepared + "\x0c" + xid,
               "1245");
  add_prepared("AWritePreparedTransaction", "\x12" + put + "\x0a" + xid,
               "!BeginPersistedPrepare");
  add_prepared("APrepareWithoutEnd", "\x09" + put, "!EndPrepare");
  add_prepared("AnEndWithoutPrepare", put + "\x0a" + xid, "!BeginPrepare");
  faults->push_back(
      {"CommitAlone", third(RawBatch(3, 1, put + "\x0b" + xid)), All("12345")});
  faults->push_back({"RollbackAlone", third(RawBatch(3, 1, "\x0c" + xid + put)),
                     All("12345")});
}

// Recycled log files, whose records have log numbers.
void AddRecycledLogs(std::vector<LogFault>* faults) {
  const auto stale = [](RawLog log) {
    for (uint64_t i = 1; i <= 3; ++i) {
      log.AddPart(5, RawRecord(i + 5), /*number=*/1);
    }
    return log.bytes();
  };
  faults->push_back({"StaleRecordsBehindTheLast",
                     {{2, stale(Records(1, 5, 2, true))}},
                     All("12345"),
                     {nullptr, nullptr, nullptr, ""},
                     /*set_aside=*/false,
                     "RocksDB 7.8.3 reads on for ever"});
  faults->push_back({"RecycledChecksumErrorInTheLast",
                     {{2, Records(1, 5, 2, true).Flip(1).bytes()}},
                     {"1234", "!checksum", "1234", "1234"},
                     {},
                     /*set_aside=*/true});
  faults->push_back({"RecycledChecksumErrorInTheThird",
                     {{2, Records(1, 3, 2, true)
                              .Flip(1)
                              .Add(RawRecord(4))
                              .Add(RawRecord(5))
                              .bytes()}},
                     {"!checksum", "!checksum", "12", "12"},
                     {"12", nullptr, nullptr, nullptr},
                     /*set_aside=*/true,
                     "good records of this life stand behind it"});
  faults->push_back({"RecycledAcrossBlocks",
                     {{2, Records(1, 3, 2, true)
                              .Add(RawRecord(4, 40000))
                              .Add(RawRecord(5))
                              .bytes()}},
                     All("12345")});
}

void AddSeveralLogs(std::vector<LogFault>* faults) {
  faults->push_back(
      {"TwoLogs",
       {{2, Records(1, 3).bytes()}, {3, Records(4, 5, 3).bytes()}},
       All("12345")});
  faults->push_back(
      {"TornThenGoesOn",
       {{2, Records(1, 3).Cut(2).bytes()}, {3, Records(3, 5, 3).bytes()}},
       {"12345", "!bytes", "12345", "12345"}});
  faults->push_back(
      {"TornThenAHole",
       {{2, Records(1, 3).Cut(2).bytes()}, {3, Records(4, 5, 3).bytes()}},
       {"1245", "!bytes", "12", "1245"},
       {},
       /*set_aside=*/true});
  faults->push_back(
      {"AHoleWithoutAFault",
       {{2, Records(1, 2).bytes()}, {4, Records(4, 5, 4).bytes()}},
       All("1245")});
  faults->push_back(
      {"ZeroTailThenAHole",
       {{2, Records(1, 2).AddBytes(std::string(1000, '\0')).bytes()},
        {3, Records(4, 5, 3).bytes()}},
       {"1245", "1245", "12", "1245"},
       {nullptr, nullptr, "1245", nullptr},
       /*set_aside=*/true,
       "a page that a power cut lost looks like that"});
  faults->push_back({"DamageThenAHole",
                     {{2, Records(1, 2).Flip(1).Add(RawRecord(3)).bytes()},
                      {3, Records(4, 5, 3).bytes()}},
                     {"!checksum", "!checksum", "1", "145"},
                     {},
                     /*set_aside=*/true});
  faults->push_back({"DamageInACleanlyClosedLog",
                     {{2, Records(1, 2)
                              .Flip(1)
                              .Add(RawRecord(3))
                              .Add(RawCleanCloseMarker(4))
                              .bytes()},
                      {3, Records(4, 5, 3).bytes()}},
                     {"!checksum", "!checksum", "!checksum", "145"},
                     {nullptr, nullptr, "1", nullptr},
                     /*set_aside=*/false,
                     "it was synced and closed: no crash did that"});
  faults->push_back(
      {"AnEmptyLogBetween",
       {{2, Records(1, 3).bytes()}, {3, ""}, {5, Records(4, 5, 5).bytes()}},
       All("12345")});
}

}  // namespace

std::vector<LogFault> LogFaults() {
  std::vector<LogFault> faults;
  AddTornEnds(&faults);
  AddDamage(&faults);
  AddBadBatches(&faults);
  AddRecycledLogs(&faults);
  AddSeveralLogs(&faults);
  return faults;
}

}  // namespace tamis
