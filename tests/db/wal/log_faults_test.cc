// SPDX-License-Identifier: Apache-2.0
//
// Logs that are described record by record, and the reader's results.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/wal/log_files.h"
#include "tests/support/data_driven.h"
#include "tests/support/directories.h"

namespace tamis {
namespace {

using Outcome = LogReader::Outcome;

// The log that lines of text describe:
//
//   record <payload>       as our writer splits it over blocks
//   full | first | middle | last <payload> [type=t] [log=n] [flip=byte]
//                          one physical record, as another writer makes it;
//                          recyclable_full and so on name the log. flip changes
//                          a bit of that byte, counted from the header's begin
//   fill <n>               a record that leaves n bytes of the block, of zeros
//   zeros <n>              that many bytes
//   cut <n>                without the last n bytes
//   bytes <hex>
//
// A payload *n is n bytes.
class LogText {
 public:
  explicit LogText(const DataCase& data) : data_(data) {}

  std::string Parse() {
    for (const std::string& line : data_.InputLines()) AddLine(line);
    return std::move(file_);
  }

 private:
  static std::string Payload(const std::string& word) {
    return word.starts_with('*') ? std::string(std::stoull(word.substr(1)), 'x')
                                 : word;
  }

  void AddLine(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    std::string word;
    words >> verb >> word;
    if (verb == "record") {
      LogWriter writer(std::make_unique<StringWritableFile>(&file_),
                       kLogNumber);
      EXPECT_TRUE(writer.AddRecord(Payload(word)).ok());
    } else if (verb == "fill") {
      const size_t zeros = data_.ParseNumber(word);
      const size_t left = log::kBlockBytes - file_.size() % log::kBlockBytes;
      file_ += Physical(log::kFull,
                        std::string(left - log::kHeaderBytes - zeros, 'f'));
      file_.append(zeros, '\0');
    } else if (verb == "zeros") {
      file_.append(data_.ParseNumber(word), '\0');
    } else if (verb == "cut") {
      file_.resize(file_.size() - data_.ParseNumber(word));
    } else if (verb == "bytes") {
      file_ += FromHexDigits(word);
    } else {
      AddPhysical(verb, word, &words);
    }
  }

  void AddPhysical(const std::string& verb, const std::string& payload,
                   std::istringstream* words) {
    static const std::map<std::string, uint8_t> kTypes = {
        {"full", log::kFull},
        {"first", log::kFirst},
        {"middle", log::kMiddle},
        {"last", log::kLast},
        {"recyclable_full", log::kRecyclableFull},
        {"recyclable_first", log::kRecyclableFirst},
        {"recyclable_middle", log::kRecyclableMiddle},
        {"recyclable_last", log::kRecyclableLast}};
    uint8_t type = kTypes.at(verb);
    uint64_t number = kLogNumber.value();
    std::optional<size_t> flip;
    std::string word;
    while (*words >> word) {
      const uint64_t value = data_.ParseNumber(word.substr(word.find('=') + 1));
      if (word.starts_with("type=")) {
        type = static_cast<uint8_t>(value);
      } else if (word.starts_with("log=")) {
        number = value;
      } else if (word.starts_with("flip=")) {
        flip = value;
      } else {
        data_.Fail("not understood: " + word);
      }
    }
    std::string record =
        Physical(type, payload == "-" ? "" : Payload(payload), number);
    if (flip) record.at(*flip) = static_cast<char>(record.at(*flip) ^ 1);
    file_ += record;
  }

  const DataCase& data_;
  std::string file_;
};

// "one two"; long ones by their size.
std::string Shown(const std::vector<std::string>& records,
                  const std::vector<bool>& after_zeros = {}) {
  std::string text;
  for (size_t i = 0; i < records.size(); ++i) {
    const std::string& record = records[i];
    if (i > 0) text += " ";
    if (i < after_zeros.size() && after_zeros[i]) text += "(after zeros) ";
    text += record.empty()      ? "-"
            : record.size() > 9 ? "*" + std::to_string(record.size())
                                : record;
  }
  return records.empty() ? "no record" : text;
}

// Returns what a reader shows up to the first damage, its report of that, and
// what a reader shows that continues after it.
std::string ReadCase(const DataCase& data) {
  const std::string file = LogText(data).Parse();
  const ReadLog log = Read(file);
  std::string text = Shown(log.records, log.after_zeros) + "\n";
  if (log.recycled) text += "recycled\n";
  const std::map<Outcome, std::string> outcomes = {
      {Outcome::kEnd, "end"},
      {Outcome::kTornTail, "torn tail"},
      {Outcome::kBadTail, "bad tail"},
      {Outcome::kCorrupt, "corrupt"}};
  text += outcomes.at(log.outcome);
  const Salvage salvage = ReadOn(file);
  EXPECT_EQ(salvage.reasons.empty(), log.outcome == Outcome::kEnd);
  if (log.outcome == Outcome::kEnd) return text;
  return text + ", " + std::to_string(log.bytes_dropped) +
         " bytes dropped: " + log.status.message() +
         "\nread on: " + Shown(salvage.records);
}

void RunLogFile(const std::string& name) {
  RunDataFile("db/wal/log/" + name + ".txt", {{"read", ReadCase}});
}

// The recovery modes handle the reader's outcomes as follows:
//
//                        tolerate tail   absolute   point in time   skip
//   kEnd                 good            good       good            good
//   kTornTail            good            fail       good            good
//   kBadTail             fail            fail       good            good
//   kBadTail, recycled   good            fail       good            good
//   kCorrupt             fail            fail       stop            Resume
TEST(LogTest, ReportsEveryFaultOfAWriteAheadLog) { RunLogFile("faults"); }

TEST(LogTest, PartsWithoutTheirRecord) { RunLogFile("parts"); }

TEST(LogTest, ReportsZerosThatNoWriterLeaves) { RunLogFile("zeros"); }

}  // namespace
}  // namespace tamis
