// SPDX-License-Identifier: Apache-2.0
#include "util/coding/printable.h"

#include <string>

#include <gtest/gtest.h>

namespace tamis {
namespace {

TEST(PrintableTest, PlainTextIsUnchanged) {
  const std::string plain = "leveldb.BytewiseComparator 'x' (1/2) ~";
  EXPECT_EQ(Printable(plain), plain);
  EXPECT_EQ(Printable(""), "");
  EXPECT_EQ(PrintableHex(""), "");
}

TEST(PrintableTest, EveryOtherByteIsEscaped) {
  EXPECT_EQ(Printable(Slice("a\nb\0c\x1b[0m\x7f\xff", 11)),
            "a\\x0Ab\\x00c\\x1B[0m\\x7F\\xFF");
  EXPECT_EQ(Printable("say \"a\\b\""), "say \\\"a\\\\b\\\"");
  EXPECT_EQ(PrintableHex(Slice("\x01\xff\0", 3)), "01FF00");
}

TEST(PrintableTest, NoTwoShortStringsLookTheSame) {
  EXPECT_NE(Printable("\n"), Printable("\\x0A"));
}

TEST(PrintableTest, LongStringsAreTruncated) {
  const std::string most(kPrintableBytesMax, 'x');
  EXPECT_EQ(Printable(most), most);
  EXPECT_EQ(Printable(most + "y"), most + "... (65 bytes)");
  EXPECT_EQ(Printable(std::string(10000, 'x')), most + "... (10000 bytes)");
  EXPECT_EQ(
      PrintableHex(std::string(100, 'A')),
      PrintableHex(std::string(kPrintableBytesMax, 'A')) + "... (100 bytes)");
}

TEST(PrintableTest, AppendEscapedTruncatesNothing) {
  std::string out = "v=";
  AppendEscaped(&out, std::string(1000, '\n'));
  EXPECT_EQ(out.size(), 2u + 4 * 1000);
}

}  // namespace
}  // namespace tamis
