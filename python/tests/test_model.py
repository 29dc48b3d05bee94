# SPDX-License-Identifier: Apache-2.0
"""Random histories of a database, compared with a dict."""

import shutil
import tempfile

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import tamis

KEYS = st.binary(max_size=3)
VALUES = st.binary(max_size=20)


class Histories(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.db = tamis.DB(self.folder + "/db", write_buffer_size="64K")
        self.model = {}

    def teardown(self):
        self.db.close()
        shutil.rmtree(self.folder)

    @rule(key=KEYS, value=VALUES)
    def put(self, key, value):
        self.db[key] = value
        self.model[key] = value

    @rule(key=KEYS)
    def delete(self, key):
        self.db.delete(key)
        self.model.pop(key, None)

    @rule(a=KEYS, b=KEYS)
    def delete_range(self, a, b):
        self.db.delete_range(min(a, b), max(a, b))
        for key in [k for k in self.model if min(a, b) <= k < max(a, b)]:
            del self.model[key]

    @rule(changes=st.lists(st.tuples(KEYS, st.one_of(st.none(), VALUES))))
    def batch(self, changes):
        with self.db.batch() as batch:
            for key, value in changes:
                if value is None:
                    batch.delete(key)
                    self.model.pop(key, None)
                else:
                    batch.put(key, value)
                    self.model[key] = value

    @rule()
    def flush(self):
        self.db.flush()

    @rule()
    def compact(self):
        self.db.compact()

    @rule()
    def reopen(self):
        self.db.close()
        self.db = tamis.DB(self.folder + "/db", write_buffer_size="64K")

    @rule(a=KEYS, b=KEYS, reverse=st.booleans())
    def scan(self, a, b, reverse):
        expected = sorted(i for i in self.model.items() if a <= i[0] < b)
        assert list(self.db.items(a, b, reverse=reverse)) == expected[:: -1 if reverse else 1]

    @rule(prefix=KEYS)
    def scan_prefix(self, prefix):
        expected = sorted(k for k in self.model if k.startswith(prefix))
        assert list(self.db.keys(prefix=prefix)) == expected

    @rule(keys=st.lists(KEYS))
    def multi_get(self, keys):
        assert self.db.multi_get(keys) == [self.model.get(k) for k in keys]

    @invariant()
    def agree(self):
        assert dict(self.db.items()) == self.model


Histories.TestCase.settings = settings(max_examples=15, stateful_step_count=30, deadline=None)
TestHistories = Histories.TestCase
