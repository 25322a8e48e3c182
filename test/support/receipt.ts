import { digestOf, keyOf, type Parts, type Receipt } from '../../src/engine/receipts/receipt.ts';

/** A result of one job on inputs that are told apart by a number. */
export function receiptOf(
  job: string,
  inputs: number,
  outcome: Receipt['outcome'],
  ended: number,
  artifacts: string[] = [],
): Receipt {
  const parts: Parts = {
    version: 1,
    project: '',
    job,
    commands: ['true'],
    platform: 'any',
    inputs: { patterns: ['**'], files: 1, digest: digestOf(inputs) },
    toolchain: {},
    ignored: '',
    environment: {},
    artifacts,
    needs: {},
  };
  return {
    version: 1,
    key: keyOf(parts),
    parts,
    outcome,
    commit: 'a'.repeat(40),
    worktree: '/w',
    began: ended - 1,
    ended,
    duration_ms: 1,
    artifacts: artifacts.map((path) => ({ path, sha256: '0'.repeat(64), mode: 0o644, size: 1 })),
  };
}
