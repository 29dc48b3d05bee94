// SPDX-License-Identifier: Apache-2.0
// For tests of the rule: first.cc hides a function of this name, too.
namespace tamis {
namespace {

int Twofold(char value) { return value + 1; }

}  // namespace
}  // namespace tamis
