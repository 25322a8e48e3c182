import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { orWhenAbsent } from '../files/files.ts';
import type { PlannedJob } from '../jobs/planned-job.ts';
import { scopeMatchers } from '../jobs/scope-paths.ts';
import type { Repository } from '../repository/repository.ts';
import { keyedDigest } from '../state/seal.ts';
import { ignoredBeyond, lookBeyond, type Way, waysOf } from './beyond.ts';
import { hashFile } from './hash-file.ts';
import { digestOfIgnored } from './ignored-inputs.ts';
import { digestOf, keyOf, type Parts } from './receipt.ts';
import type { TreeFile } from './tree.ts';

/** The largest toolchain file that is hashed, in bytes. */
const LARGEST_TOOL = 64 * 1024 * 1024;

/** What a job's result stands for, or why no other result may stand in for it, in words. */
export type Identified = { key: string; parts: Parts; ways: readonly Way[] } | { why: string };

/** What identities are made from. */
export interface World {
  repo: Repository;
  tree: readonly TreeFile[];
  /** What git ignores in the project. */
  ignored: readonly string[];
  env: NodeJS.ProcessEnv;
}

/** Identifies every job of a plan, each with what it needs. The tree must be clean: its commit stands for it. */
export async function identify(
  jobs: readonly PlannedJob[],
  world: World,
): Promise<ReadonlyMap<string, Identified>> {
  const known = new Map(jobs.map((job) => [job.name, job]));
  const found = new Map<string, Promise<Identified>>();
  const inputs = inputsOf(world);
  const { repo } = world;
  /** A result without inputs counts for its commit, under its config, alone. */
  const bound = (name: string) => digestOf(['commit', repo.prefix, name, repo.commit, repo.config.digest]);
  // The config has no round of needs, so this ends.
  const one = (job: PlannedJob): Promise<Identified> => {
    const before = found.get(job.name);
    if (before) return before;
    const made = (async (): Promise<Identified> => {
      const needs: Record<string, string> = {};
      for (const name of [...(job.needs ?? [])].sort()) {
        const need = known.get(name);
        const identified = need && (await one(need));
        needs[name] = identified && 'key' in identified ? identified.key : bound(name);
      }
      return identifyOne(job, needs, inputs, world);
    })();
    found.set(job.name, made);
    return made;
  };
  const all = await Promise.all(jobs.map(async (job) => [job.name, await one(job)] as const));
  return new Map(all);
}

async function identifyOne(
  job: PlannedJob,
  needs: Record<string, string>,
  inputs: ReturnType<typeof inputsOf>,
  { repo, env, ignored }: World,
): Promise<Identified> {
  const { evidence } = job;
  if (!evidence?.inputs) return { why: 'it declares no inputs' };
  const found = await inputs(evidence.inputs);
  if ('why' in found) return found;
  const { ways, ...read } = found;
  const around = await aroundOf(job, repo.root, ignored, ways);
  if ('why' in around) return around;
  const parts: Parts = {
    version: 1,
    project: repo.prefix,
    job: job.name,
    commands: job.commands,
    platform: `${process.platform} ${process.arch}`,
    inputs: { patterns: evidence.inputs, ...read },
    ...around,
    environment: await environmentOf(env, evidence.environment ?? []),
    artifacts: evidence.artifacts ?? [],
    needs,
    ...(job.measured && { measure: job.measured.measure }),
  };
  return { key: keyOf(parts), parts, ways };
}

/** Digests the files that patterns name, each list of patterns once. */
function inputsOf({ repo, tree }: World) {
  const ways = waysOf(repo, tree);
  const known = new Map<string, Promise<Inputs | { why: string }>>();
  return (patterns: readonly string[]) => {
    const name = JSON.stringify(patterns);
    const made = known.get(name) ?? read(patterns);
    known.set(name, made);
    return made;
  };
  async function read(patterns: readonly string[]) {
    const matches = scopeMatchers(patterns);
    const beyond = await lookBeyond(patterns, ways);
    if ('why' in beyond) return beyond;
    const files = [...tree.filter(({ path }) => matches(path)), ...beyond.files];
    for (const pattern of patterns) {
      if (pattern.startsWith('!')) continue;
      const own = scopeMatchers([pattern]);
      if (!files.some(({ path }) => own(path))) {
        return { why: `${pattern} of its inputs names no file of the commit` };
      }
    }
    const hash = createHash('sha256');
    for (const { path, mode, id } of files) hash.update(`${mode} ${id} ${path}\0`);
    return { files: files.length, digest: hash.digest('hex'), ways: beyond.ways };
  }
}

/** What a job's inputs come to, and the ways to some of them. */
type Inputs = Omit<Parts['inputs'], 'patterns'> & { ways: Way[] };

/** What a job reads that no commit has: its toolchain files, and those of its inputs that git ignores. */
export async function aroundOf(
  { evidence }: PlannedJob,
  root: string,
  ignored: readonly string[],
  ways: readonly Way[],
): Promise<Pick<Parts, 'toolchain' | 'ignored'> | { why: string }> {
  const toolchain = await toolchainOf(root, evidence?.toolchain ?? []);
  if ('why' in toolchain) return toolchain;
  const all = ways.length === 0 ? ignored : await ignoredBeyond(root, ignored, ways);
  const seen = await digestOfIgnored(root, all, evidence?.inputs ?? [], evidence?.artifacts ?? []);
  return 'why' in seen ? seen : { toolchain: toolchain.hashes, ignored: seen.digest };
}

/** The bytes of the files that pin tools, as they stand on disk: git may well ignore them. */
async function toolchainOf(
  root: string,
  files: readonly string[],
): Promise<{ hashes: Record<string, string> } | { why: string }> {
  const hashes: Record<string, string> = {};
  for (const file of [...files].sort()) {
    const path = join(root, file);
    const found = await stat(path).catch(orWhenAbsent(undefined));
    if (found && (!found.isFile() || found.size > LARGEST_TOOL)) {
      return { why: `${file} of its toolchain is not a file of at most ${LARGEST_TOOL} bytes` };
    }
    hashes[file] = found ? await hashFile(path) : 'absent';
  }
  return { hashes };
}

/** The values a result depends on, each under a key of this user's: a short secret must not be guessed from its hash. */
async function environmentOf(
  env: NodeJS.ProcessEnv,
  names: readonly string[],
): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const name of [...names].sort()) {
    const value = env[name];
    values[name] = value === undefined ? 'unset' : await keyedDigest(`${name}=${value}`);
  }
  return values;
}
