import type { Finding, Place } from '../finding.ts';
import { scriptFrame } from '../place.ts';
import { type Json, list, numberOf, object, text } from './json-values.ts';

const maxFrames = 60;

/** The failing tests of a runner's JSON: jest's and vitest's, mocha's, RSpec's, pytest-json-report's. */
export function readTestRun(value: unknown): Finding[] | undefined {
  const run = object(value);
  if (Array.isArray(run.testResults) && 'numFailedTests' in run) {
    const tool = 'wasInterrupted' in run ? 'jest' : 'vitest';
    return run.testResults
      .map(object)
      .flatMap((file) => readJestFile(file).map((finding) => ({ ...finding, tool })));
  }
  if (Array.isArray(run.failures) && Array.isArray(run.passes))
    return run.failures.map(object).map(readMocha);
  if (Array.isArray(run.examples) && 'summary' in run) {
    return run.examples
      .map(object)
      .filter((one) => one.status === 'failed')
      .map(readRspec);
  }
  if (Array.isArray(run.tests) && 'exitcode' in run) {
    return run.tests
      .map(object)
      .filter((one) => /^(?:failed|error)$/.test(String(one.outcome)))
      .map(readPytest);
  }
  return undefined;
}

function readJestFile(file: Json): Finding[] {
  const name = text(file.name);
  const failed = list(file.assertionResults)
    .map(object)
    .filter((one) => one.status === 'failed');
  if (failed.length === 0) {
    const message = text(file.message);
    if (file.status !== 'failed' || message === undefined) return [];
    const [first = 'The file could not be run.'] = message
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('●'));
    return [
      {
        at: 0,
        severity: 'error',
        message: first,
        tool: 'jest',
        frames: framesIn(message),
        ...(name && framesIn(message).length === 0 ? { file: name } : {}),
      },
    ];
  }
  return failed.map((test): Finding => {
    const said = list(test.failureMessages)
      .filter((one) => typeof one === 'string')
      .join('\n');
    const location = object(test.location);
    const own =
      name === undefined
        ? []
        : [{ file: name, line: numberOf(location, ['line']), column: numberOf(location, ['column']) }];
    return {
      at: 0,
      severity: 'error',
      message: `${text(test.fullName) ?? text(test.title) ?? 'A test'}: ${firstLine(said)}`,
      tool: 'jest',
      frames: [...framesIn(said), ...own],
    };
  });
}

function readMocha(test: Json): Finding {
  const error = object(test.err);
  const file = text(test.file);
  return {
    at: 0,
    severity: 'error',
    message: `${text(test.fullTitle) ?? text(test.title) ?? 'A test'}: ${text(error.message) ?? 'failed'}`,
    tool: 'mocha',
    frames: [...framesIn(text(error.stack) ?? ''), ...(file === undefined ? [] : [{ file }])],
  };
}

function readRspec(test: Json): Finding {
  const error = object(test.exception);
  const file = text(test.file_path);
  const frames = list(error.backtrace)
    .slice(0, maxFrames)
    .flatMap((line): Place[] => {
      const [, path, row] = /^([^:]{1,500}):(\d{1,9})/.exec(String(line)) ?? [];
      return path === undefined || /\/gems\//.test(path) ? [] : [{ file: path, line: Number(row) }];
    });
  return {
    at: 0,
    severity: 'error',
    message: `${text(test.full_description) ?? 'An example'}: ${(text(error.message) ?? 'failed').trim()}`,
    tool: 'rspec',
    frames: [...frames, ...(file === undefined ? [] : [{ file, line: numberOf(test, ['line_number']) }])],
  };
}

function readPytest(test: Json): Finding {
  const phase = [test.call, test.setup, test.teardown].map(object).find((one) => 'crash' in one) ?? {};
  const crash = object(phase.crash);
  const id = text(test.nodeid) ?? '';
  const [file = '', ...name] = id.split('::');
  const path = text(crash.path);
  return {
    at: 0,
    severity: 'error',
    message: `${name.join('.') || id}: ${text(crash.message) ?? 'failed'}`,
    tool: 'pytest',
    frames: [
      ...(path === undefined ? [] : [{ file: path, line: numberOf(crash, ['lineno']) }]),
      { file, line: numberOf(test, ['lineno'], 0) },
    ],
  };
}

function framesIn(stack: string): Place[] {
  return stack
    .split('\n')
    .slice(0, maxFrames)
    .flatMap((line) => {
      const frame = scriptFrame(line);
      return frame?.file === undefined ? [] : [frame];
    });
}

function firstLine(message: string): string {
  const [first = 'failed'] = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return first;
}
