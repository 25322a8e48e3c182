import type { Scope } from '../../contract/config.ts';
import type { Evidence } from '../../contract/config-values.ts';
import type { ScopeResult } from '../../contract/data.ts';
import { gitLine } from '../git/core.ts';
import { changedPaths } from '../git/diff.ts';
import type { TreeStatus } from '../git/status.ts';
import type { Repository } from '../repository/repository.ts';
import { scopeMatchers } from './scope-paths.ts';

export interface ClassifiedScope extends ScopeResult {
  commands?: string[];
  timeout?: number;
  needs?: string[];
  evidence: Evidence;
  /** A change that is code lies in it, so that its gate runs. */
  triggered: boolean;
}

/** Where the changes since the trunk fall. */
export interface Classification {
  scopes: ClassifiedScope[];
  /** Changed paths in no scope: they count as code. */
  code: string[];
  /** True when there are changes and every one lies in a neutral scope. */
  neutral: boolean;
}

/**
 * Sorts changed paths into the project's scopes. A path in no scope is code: unknown runs more, never less. One in a neutral
 * scope is none, and so triggers no scope's gate, also where it lies in another scope too (the published format).
 */
export function classify(declared: readonly Scope[], changed: readonly string[]): Classification {
  const scopes = declared.map((scope) => ({
    scope,
    matches: scopeMatchers(scope.paths),
    files: 0,
    triggered: false,
  }));
  const code: string[] = [];
  let allNeutral = changed.length > 0;
  for (const path of changed) {
    const within = scopes.filter(({ matches }) => matches(path));
    const isNeutral = within.some(({ scope }) => scope.neutral);
    for (const one of within) {
      one.files++;
      one.triggered ||= !isNeutral;
    }
    if (within.length === 0) code.push(path);
    if (!isNeutral) allNeutral = false;
  }
  return {
    scopes: scopes.map(({ scope, files, triggered }) => ({
      name: scope.name,
      changed: files > 0,
      files,
      neutral: scope.neutral,
      previewable: scope.previewable,
      ...(scope.preview && { preview: scope.preview.join(' && ') }),
      ...(scope.gate && { gate: scope.gate.join(' && '), commands: scope.gate }),
      ...(scope.timeout !== undefined && { timeout: scope.timeout }),
      ...(scope.needs && { needs: scope.needs }),
      evidence: scope,
      triggered,
    })),
    code,
    neutral: allNeutral,
  };
}

/**
 * Every path that differs from the point where this branch left the trunk: committed, staged, changed and untracked;
 * relative to the project root, and without those outside it (`accept` refuses them).
 */
export async function changesSinceTrunk(repo: Repository, status: TreeStatus): Promise<string[]> {
  const paths = new Set([...status.staged, ...status.unstaged, ...status.untracked]);
  if (repo.trunk && repo.trunk.commit !== repo.commit) {
    const base = await gitLine(repo.top, ['merge-base', repo.trunk.commit, repo.commit], { ok: [0, 1] });
    for (const path of await changedPaths(repo.top, base || repo.trunk.commit, repo.commit)) paths.add(path);
  }
  return [...paths]
    .map((path) => insideProject(repo, path))
    .filter((path) => path !== undefined)
    .sort();
}

/** A path of the repository as one of the project, or `undefined` when it lies outside. */
export function insideProject(repo: Pick<Repository, 'prefix'>, path: string): string | undefined {
  if (!repo.prefix) return path;
  return path.startsWith(`${repo.prefix}/`) ? path.slice(repo.prefix.length + 1) : undefined;
}

/** The part of a scope that callers see. */
export function scopeResults(scopes: readonly ClassifiedScope[]): ScopeResult[] {
  return scopes.map(
    ({
      commands: _commands,
      timeout: _timeout,
      needs: _needs,
      evidence: _evidence,
      triggered: _triggered,
      ...result
    }) => result,
  );
}
