// SPDX-License-Identifier: Apache-2.0
// For tests of the rule.
int Shown(const DBOptions& options) { return options.shown; }
