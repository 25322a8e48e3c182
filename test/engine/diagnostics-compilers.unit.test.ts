import assert from 'node:assert/strict';
import { findings } from './diagnostics-job.ts';

describe('diagnostics of compilers and linters', () => {
  it('reads tsc, plain and pretty, with the elaboration of a message', async () => {
    assert.deepEqual(
      await findings(
        `src/app.ts(12,7): error TS2322: Type '{ a: string; }' is not assignable to type 'Options'.
  Types of property 'a' are incompatible.
    Type 'string' is not assignable to type 'number'.
{root}/src/b.ts(3,1): error TS7006: Parameter 'y' implicitly has an 'any' type.
error TS18003: No inputs were found in config file 'tsconfig.json'.
\u001b[96msrc/c d.ts\u001b[0m:\u001b[93m4\u001b[0m:\u001b[93m7\u001b[0m - \u001b[91merror\u001b[0m\u001b[90m TS2304: \u001b[0mCannot find name 'x'.

\u001b[7m4\u001b[0m   x();
\u001b[7m \u001b[0m \u001b[91m      ~\u001b[0m

Found 4 errors.
`,
      ),
      [
        "error tsc src/app.ts:12:7 [TS2322] Type '{ a: string; }' is not assignable to type 'Options'. Types of property 'a' are incompatible. Type 'string' is not assignable to type 'number'.",
        "error tsc src/b.ts:3:1 [TS7006] Parameter 'y' implicitly has an 'any' type.",
        "error tsc src/c d.ts:4:7 [TS2304] Cannot find name 'x'.",
        "error tsc [TS18003] No inputs were found in config file 'tsconfig.json'.",
      ],
    );
  });

  it('reads Windows paths, CRLF, and a label a runner put in front', async () => {
    assert.deepEqual(
      await findings(
        "C:\\a\\b.ts(1,2): error TS1005: ';' expected.\r\nC:\\a\\b.ts:3:4 - error TS1: x\r\n[build] src/a.ts(5,6): error TS2: y\r\n",
      ),
      [
        "error tsc C:\\a\\b.ts:1:2 [TS1005] ';' expected.",
        'error tsc C:\\a\\b.ts:3:4 [TS1] x',
        'error tsc src/a.ts:5:6 [TS2] y',
      ],
    );
    assert.deepEqual(await findings("C:\\app\\src\\b.ts(1,2): error TS1005: ';' expected.\r\n", 'C:\\app'), [
      "error tsc src/b.ts:1:2 [TS1005] ';' expected.",
    ]);
  });

  it('reads MSVC and the .NET compilers, without the project they name at the end', async () => {
    assert.deepEqual(
      await findings(
        'Program.cs(7,13): error CS1002: ; expected [/repo/app.csproj]\nsrc\\main.cpp(12): fatal error C1083: Cannot open include file\n',
      ),
      [
        'error msbuild Program.cs:7:13 [CS1002] ; expected',
        'error msbuild src\\main.cpp:12 [C1083] Cannot open include file',
      ],
    );
  });

  it("reads ESLint's stylish format", async () => {
    assert.deepEqual(
      await findings(`
{root}/src/hooks/use records.ts
  104:27  error    Insert \`,\`                                    prettier/prettier
    6:22  warning  Unexpected any. Specify a different type      @typescript-eslint/no-explicit-any
    9:1   error    Parsing error: Unexpected token }

{root}/README.md
   1:1  error  A message with  two blanks inside  markdown/no-html

✖ 4 problems (3 errors, 1 warning)
  1 error and 0 warnings potentially fixable with the \`--fix\` option.

`),
      [
        'error eslint src/hooks/use records.ts:104:27 [prettier/prettier] Insert `,`',
        'error eslint src/hooks/use records.ts:9:1 Parsing error: Unexpected token }',
        'error eslint README.md:1:1 [markdown/no-html] A message with two blanks inside',
        'warning eslint src/hooks/use records.ts:6:22 [@typescript-eslint/no-explicit-any] Unexpected any. Specify a different type',
      ],
    );
  });

  it("reads ESLint's unix format", async () => {
    assert.deepEqual(
      await findings(`{root}/src/a.js:1:10: 'addOne' is defined but never used. [Error/no-unused-vars]
{root}/src/a.js:0:0: File ignored because of a matching ignore pattern. [Warning]

2 problems
`),
      [
        "error eslint src/a.js:1:10 [no-unused-vars] 'addOne' is defined but never used.",
        'warning eslint src/a.js File ignored because of a matching ignore pattern.',
      ],
    );
  });

  it('reads gcc and clang, without notes and the source they quote', async () => {
    assert.deepEqual(
      await findings(`In file included from src/b.c:2:
src/b.h:4:10: fatal error: nope.h: No such file or directory
    4 | #include "nope.h"
      |          ^~~~~~~~
compilation terminated.
b.c: In function ‘main’:
b.c:2:39: warning: initialization of ‘char *’ from ‘int’ [-Wint-conversion]
b.c:2:68: error: ‘y’ undeclared (first use in this function)
b.c:2:68: note: each undeclared identifier is reported only once
main.cpp:7:5: error: use of undeclared identifier 'foo' [clang-diagnostic-error]
main.cpp:9:5: error: variable 'a' set but not used [-Werror,-Wunused-but-set-variable]
1 error generated.
`),
      [
        'error cc src/b.h:4:10 nope.h: No such file or directory',
        'error cc b.c:2:68 ‘y’ undeclared (first use in this function)',
        "error clang-tidy main.cpp:7:5 [clang-diagnostic-error] use of undeclared identifier 'foo'",
        "error cc main.cpp:9:5 [-Werror,-Wunused-but-set-variable] variable 'a' set but not used",
        'warning cc b.c:2:39 [-Wint-conversion] initialization of ‘char *’ from ‘int’',
      ],
    );
  });

  it('reads what the linker and the compiler driver say', async () => {
    assert.deepEqual(
      await findings(`/usr/bin/ld: /tmp/ccht4nGo.o: in function \`main':
{root}/src/c.c:12: undefined reference to \`h'
collect2: error: ld returned 1 exit status
clang: error: no such file or directory: 'x.c'
`),
      ["error cc src/c.c:12 undefined reference to `h'", "error cc no such file or directory: 'x.c'"],
    );
  });

  it('reads rustc and clippy, with the lint that names the rule', async () => {
    assert.deepEqual(
      await findings(`   Compiling app v0.1.0 (/repo)
warning: unused variable: \`unused\`
 --> src/main.rs:2:9
  |
2 |     let unused = 1;
  |         ^^^^^^ help: if this is intentional, prefix it with an underscore
  |
  = note: \`#[warn(unused_variables)]\` on by default

error[E0308]: mismatched types
  --> src/main.rs:3:18
   |
3  |     let x: i32 = "a";
   |            ---   ^^^ expected \`i32\`, found \`&str\`
   |
note: function defined here
  --> src/lib.rs:9:1

error: this loop never actually loops
 --> src/lib.rs:5:5
  |
  = note: \`-D clippy::never-loop\` implied by \`-D warnings\`

error: aborting due to 2 previous errors; 1 warning emitted

For more information about this error, try \`rustc --explain E0308\`.
error: could not compile \`app\` (bin "app") due to 2 previous errors
`),
      [
        'error rustc src/main.rs:3:18 [E0308] mismatched types',
        'error clippy src/lib.rs:5:5 [clippy::never-loop] this loop never actually loops',
        'warning rustc src/main.rs:2:9 [unused_variables] unused variable: `unused`',
      ],
    );
  });

  it('reads the Go compiler and go vet', async () => {
    assert.deepEqual(
      await findings(`# example.com/app/store
./main.go:5:2: undefined: foo
store/store.go:14:9: not enough arguments in call to Open
\thave (string)
\twant (string, int)
vet: ./b_test.go:3:1: expected declaration, found x
store/store.go:20:3: too many errors
`),
      [
        'error go main.go:5:2 undefined: foo',
        'error go store/store.go:14:9 not enough arguments in call to Open have (string) want (string, int)',
        'error go b_test.go:3:1 expected declaration, found x',
        'error go store/store.go:20:3 too many errors',
      ],
    );
  });

  it('reads linters that print as gcc does, each by its rules', async () => {
    assert.deepEqual(
      await findings(`app/models.py:12: error: Incompatible return value type  [return-value]
app/views.py:3:1: F401 'os' imported but unused
Foo.java:3: error: ';' expected
run.sh:4:6: warning: Double quote to prevent globbing [SC2086]
`),
      [
        'error mypy app/models.py:12 [return-value] Incompatible return value type',
        "error flake8 app/views.py:3:1 [F401] 'os' imported but unused",
        "error javac Foo.java:3 ';' expected",
        'warning shellcheck run.sh:4:6 [SC2086] Double quote to prevent globbing',
      ],
    );
  });

  it('reads Biome, whose formatter names no line, and not its closing summary', async () => {
    assert.deepEqual(
      await findings(`src/a.ts:1:8 lint/suspicious/noExplicitAny ━━━━━━━━━━━━━━━━━━━━━

  ! Unexpected any. Specify a different type.

src/a.ts:1:1 lint/style/useConst  FIXABLE  ━━━━━━━━━━━━━━━━━━━━━

  × This let declares a variable that is only assigned once.

src/a.ts format ━━━━━━━━━━━━━━━━━━━━━━━━━━━

  × Formatter would have printed the following content:

check ━━━━━━━━━━━━━━━━━━━━━━━━━━━

  × Some errors were emitted while running checks.
`),
      [
        'error biome src/a.ts:1:1 [lint/style/useConst] This let declares a variable that is only assigned once.',
        'error biome src/a.ts [format] Formatter would have printed the following content:',
        'warning biome src/a.ts:1:8 [lint/suspicious/noExplicitAny] Unexpected any. Specify a different type.',
      ],
    );
  });

  it('reads esbuild and counts its columns from 1', async () => {
    assert.deepEqual(
      await findings(`✘ [ERROR] Could not resolve "./nope"

    src/a.ts:1:19:
      1 │ import x from "./nope"
        ╵               ~~~~~~~~

▲ [WARNING] Duplicate key "a" in object literal [duplicate-object-key]

    src/b.ts:2:0:
`),
      [
        'error esbuild src/a.ts:1:20 Could not resolve "./nope"',
        'warning esbuild src/b.ts:2:1 Duplicate key "a" in object literal [duplicate-object-key]',
      ],
    );
  });
});
