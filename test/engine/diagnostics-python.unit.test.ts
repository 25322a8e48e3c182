import assert from 'node:assert/strict';
import { findings } from './diagnostics-job.ts';

describe('diagnostics of Python programs', () => {
  describe('pytest', () => {
    const summary = `=========================== short test summary info ============================
FAILED tests/test_a.py::test_add - assert (1 + 1) == 3
FAILED tests/test_a.py::TestC::test_m[a - b::c] - AssertionError: dicts di...
ERROR tests/test_a.py::test_fix - RuntimeError: fix
===================== 2 failed, 1 passed, 1 error in 1.27s =====================
`;

    it('reads long reports, at the innermost own line, without what tests printed', async () => {
      assert.deepEqual(
        await findings(`============================= test session starts ==============================
tests/test_a.py F.FE                                                     [100%]

==================================== ERRORS ====================================
__________________________ ERROR at setup of test_fix __________________________

    @pytest.fixture
>   def bad(): raise RuntimeError('fix')
E   RuntimeError: fix

tests/test_a.py:15: RuntimeError
=================================== FAILURES ===================================
___________________________________ test_add ___________________________________

    def test_add():
>       helper(3)

tests/test_a.py:8: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ 

>       assert 1 + 1 == 3
E       assert (1 + 1) == 3

tests/test_a.py:3: AssertionError
----------------------------- Captured stdout call -----------------------------
src/foo.c:12:1: error: just a log
tests/test_a.py:99: ValueError
____________________________ TestC.test_m[a - b::c] ____________________________
{root}/tests/test_a.py:13: in test_m
    assert {'a': 1} == {'a': 2}, "dicts differ"
/usr/lib/python3.11/json/decoder.py:337: in decode
    raise
E   AssertionError: dicts differ
${summary}`),
        [
          'error pytest tests/test_a.py:15 test_fix: RuntimeError: fix',
          'error pytest tests/test_a.py:3 test_add: assert (1 + 1) == 3',
          'error pytest tests/test_a.py:13 TestC.test_m[a - b::c]: AssertionError: dicts differ',
        ],
      );
    });

    it('reads the summary alone', async () => {
      assert.deepEqual(await findings(summary), [
        'error pytest tests/test_a.py test_add: assert (1 + 1) == 3',
        'error pytest tests/test_a.py TestC.test_m[a - b::c]: AssertionError: dicts di...',
        'error pytest tests/test_a.py test_fix: RuntimeError: fix',
      ]);
    });

    it('joins one-line reports with the names in the summary', async () => {
      assert.deepEqual(
        await findings(`=================================== FAILURES ===================================
{root}/tests/test_a.py:5: assert (1 + 1) == 3
----------------------------- Captured stdout call -----------------------------
src/foo.py:12: just a log
{root}/tests/test_a.py:13: AssertionError: dicts differ
${summary}`),
        [
          'error pytest tests/test_a.py:5 test_add: assert (1 + 1) == 3',
          'error pytest tests/test_a.py:13 TestC.test_m[a - b::c]: AssertionError: dicts differ',
          'error pytest tests/test_a.py test_fix: RuntimeError: fix',
        ],
      );
    });

    it('reads a module that could not be collected', async () => {
      assert.deepEqual(
        await findings(`==================================== ERRORS ====================================
_____________________ ERROR collecting tests/test_b.py _____________________
ImportError while importing test module '{root}/tests/test_b.py'.
Traceback:
/root/.pyenv/versions/3.11.7/lib/python3.11/importlib/__init__.py:126: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
tests/test_b.py:1: in <module>
    import nope_mod
E   ModuleNotFoundError: No module named 'nope_mod'
=========================== short test summary info ============================
ERROR tests/test_b.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
`),
        ["error pytest tests/test_b.py:1 tests/test_b.py: ModuleNotFoundError: No module named 'nope_mod'"],
      );
    });
  });

  describe('Python', () => {
    it('reads a traceback at the innermost own frame, and of chained ones the last', async () => {
      assert.deepEqual(
        await findings(`Traceback (most recent call last):
  File "{root}/app/main.py", line 3, in <module>
    load()
KeyError: 'k'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "{root}/app/main.py", line 9, in <module>
    run()
    ~~~^^
  File "{root}/app/run.py", line 4, in run
    json.loads("{")
  File "/usr/lib/python3.11/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
json.decoder.JSONDecodeError: Expecting property name: line 1 column 2
`),
        ['error python app/run.py:4 json.decoder.JSONDecodeError: Expecting property name: line 1 column 2'],
      );
    });

    it('reads a syntax error, which has no header', async () => {
      assert.deepEqual(
        await findings(`  File "app/c.py", line 1
    def f(:
          ^
SyntaxError: invalid syntax
`),
        ['error python app/c.py:1 SyntaxError: invalid syntax'],
      );
    });

    it("reads unittest with the test's name, and not what tests log", async () => {
      assert.deepEqual(
        await findings(`src/log.c:1:2: error: printed by a test
F
======================================================================
FAIL: test_x (tests.test_u.T.test_x)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "{root}/tests/test_u.py", line 3, in test_x
    def test_x(self): self.assertEqual(1,2)
AssertionError: 1 != 2

----------------------------------------------------------------------
FAILED (failures=1)
`),
        ['error python tests/test_u.py:3 test_x (tests.test_u.T.test_x): AssertionError: 1 != 2'],
      );
    });

    it('believes a traceback in the log only where no report named an error', async () => {
      const traceback =
        'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    x\nKeyError: 1\n';
      assert.deepEqual(await findings(`${traceback}src/a.ts(1,2): error TS1: x\n`), [
        'error tsc src/a.ts:1:2 [TS1] x',
      ]);
      assert.deepEqual(await findings(traceback), ['error python a.py:3 KeyError: 1']);
    });
  });
});
