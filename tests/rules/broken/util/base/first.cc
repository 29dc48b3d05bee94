// SPDX-License-Identifier: Apache-2.0
// For tests of the rule: second.cc hides a function of this name, too.
namespace tamis {
namespace {

int Twofold(int value) { return value; }

}  // namespace
}  // namespace tamis
