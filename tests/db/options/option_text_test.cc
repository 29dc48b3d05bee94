// SPDX-License-Identifier: Apache-2.0
#include "db/options/option_text.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

std::string Split(const std::string& text) {
  OptionPairs pairs;
  const Status status = SplitOptions(text, &pairs);
  if (!status.ok()) return status.ToString();
  std::string out;
  for (const auto& [name, value] : pairs) out += name + "=[" + value + "] ";
  return out;
}

TEST(OptionTextTest, SplitsAndStripsOnePairOfBraces) {
  EXPECT_EQ(Split(""), "");
  EXPECT_EQ(Split(" ; "),
            "Invalid argument: A name is not followed by '=': at "
            "\";\"");
  EXPECT_EQ(Split(" a = 1 ; b = { c=2; d={e=3} } ;"),
            "a=[1] b=[c=2; d={e=3}] ");
  EXPECT_EQ(Split("{a=1;b=}"), "a=[1] b=[] ");
  EXPECT_EQ(Split("a=b=c"), "a=[b=c] ");
  EXPECT_EQ(Split("a={};b={x}"), "a=[] b=[x] ");
}

TEST(OptionTextTest, MalformedListsQuoteThePlace) {
  EXPECT_EQ(Split("a=1;b"),
            "Invalid argument: A name is not followed by '=': at \"b\"");
  EXPECT_EQ(Split("a=1; =2"),
            "Invalid argument: There is no name before '=': at \"=2\"");
  EXPECT_EQ(Split("a={b={1}"),
            "Invalid argument: A brace is not closed: at \"{b={1}\"");
  EXPECT_EQ(Split("a={1}x;b=2"),
            "Invalid argument: A closing brace is not followed by ';': at "
            "\"x;b=2\"");
}

template <typename Number>
std::string Parsed(std::string_view text, Number value = 77) {
  const Status status = ParseOptionText(text, &value);
  return status.ok() ? PrintOptionText(value)
                     : "error " + PrintOptionText(value);
}

TEST(OptionTextTest, IntegersHaveUnitsAndLimits) {
  EXPECT_EQ(Parsed<int>("5k"), "5120");
  EXPECT_EQ(Parsed<int>("-2K"), "-2048");
  EXPECT_EQ(Parsed<int>("-2147483648"), "-2147483648");
  EXPECT_EQ(Parsed<int>("2147483648"), "error 77");
  EXPECT_EQ(Parsed<int>("2G"), "error 77");
  EXPECT_EQ(Parsed<int64_t>("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(Parsed<uint64_t>("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(Parsed<uint64_t>("16777216t"), "error 77");
  EXPECT_EQ(Parsed<uint64_t>("3t"), "3298534883328");
  EXPECT_EQ(Parsed<uint32_t>("4G"), "error 77");
  for (const char* bad : {"", "k", "1.5G", "12x", " 1", "+1", "--1", "0x10"}) {
    EXPECT_EQ(Parsed<int>(bad), "error 77") << bad;
  }
  EXPECT_EQ(Parsed<uint64_t>("-1"), "error 77") << "RocksDB takes 2^64-1";
}

TEST(OptionTextTest, OtherPlainTypes) {
  EXPECT_EQ(Parsed<bool>("true", false), "true");
  EXPECT_EQ(Parsed<bool>("1", false), "true");
  EXPECT_EQ(Parsed<bool>("0", true), "false");
  EXPECT_EQ(Parsed<bool>("yes", false), "error false");
  EXPECT_EQ(Parsed<double>("0.750000"), "0.75");
  EXPECT_EQ(Parsed<double>("1e-9"), "1e-09");
  EXPECT_EQ(Parsed<double>("10x"), "error 77");
}

TEST(OptionTextTest, EscapesAreReversible) {
  const std::string bytes = "a\\b#c\nd\re:f";
  EXPECT_EQ(EscapeOption(bytes), "a\\\\b\\#c\\nd\\re:f");
  EXPECT_EQ(UnescapeOption(EscapeOption(bytes)), bytes);
  EXPECT_EQ(UnescapeOption("\\:\\"), ":\\");
}

}  // namespace
}  // namespace tamis
