import { basename } from 'node:path';
import { cmake } from './ecosystems/cmake.ts';
import { deno } from './ecosystems/deno.ts';
import { dotnet } from './ecosystems/dotnet.ts';
import { elixir } from './ecosystems/elixir.ts';
import { go } from './ecosystems/go.ts';
import { gradle, maven } from './ecosystems/jvm.ts';
import { runners } from './ecosystems/make.ts';
import { node } from './ecosystems/node.ts';
import { php } from './ecosystems/php.ts';
import { python } from './ecosystems/python.ts';
import { ruby } from './ecosystems/ruby.ts';
import { rust } from './ecosystems/rust.ts';
import { swift } from './ecosystems/swift.ts';
import type { ProjectFiles } from './project-files.ts';
import { type Ecosystem, isKnown, type Offer, type Proposal, type ProposedJob } from './proposal.ts';

/** In this order the first to offer a job gives it its plain name. */
const readers = [
  ...[node, deno, rust, go, python, php, ruby, elixir, swift],
  ...[dotnet, maven, gradle, cmake],
];

/**
 * What a directory's manifests say a gate could be. Only commands that exist are taken: a script that is there, a tool that
 * a manifest declares. A makefile, a justfile or a Taskfile fills what the others leave open. What no job needs is not set up.
 */
export async function propose(files: ProjectFiles): Promise<Proposal> {
  const found = (await Promise.all(readers.map((read) => read(files)))).filter((one) => one !== undefined);
  const both = found.some(({ name }) => name === 'maven') && found.some(({ name }) => name === 'gradle');
  const dropped = both ? (files.has('gradlew') && !files.has('mvnw') ? 'maven' : 'gradle') : undefined;
  const used = found.filter(({ name }) => name !== dropped);
  const all = [...used];
  for (const filler of await runners(files)) {
    const covered = (offer: Offer) =>
      all.some(({ offers }) =>
        offers.some(({ job }) => job === offer.job || job.startsWith(`${offer.job}-`)),
      );
    const filling = filler.offers.filter((offer) => !covered(offer));
    if (filling.length > 0) all.push({ ...filler, offers: filling });
  }
  // What fills a gap may call any of the others' tools.
  const filled = all.length > used.length;
  const jobs = jobsOf(all);
  return {
    name: plainName(used.find(({ project }) => project)?.project ?? '') || plainName(basename(files.root)),
    jobs,
    setup: all.flatMap(({ offers, setup }) => (offers.length > 0 || filled ? setup : [])),
    found: all.map(({ name }) => name),
    notes: [
      ...files.notes,
      ...(dropped === undefined ? [] : [`There is a ${dropped} build too; its jobs were left out.`]),
      ...all.flatMap(({ notes }) => notes),
      ...(jobs.length > 0 && !jobs.some(({ stage }) => stage === 'test')
        ? ['No test job was found: add one under [jobs], or nothing is tested before work lands.']
        : []),
    ],
    files: [...new Set(all.flatMap((one) => one.files))],
  };
}

/** The jobs, each name once: a second ecosystem's `test` is `test-rust`. */
function jobsOf(ecosystems: readonly Ecosystem[]): ProposedJob[] {
  const jobs = new Map<string, ProposedJob>();
  for (const { name: ecosystem, offers } of ecosystems) {
    for (const { job, stage, command, from } of offers) {
      const name = jobs.has(job) ? `${job}-${ecosystem}` : job;
      if (!jobs.has(name)) jobs.set(name, { name, stage, run: command, from });
    }
  }
  // Known names first: in TOML the keys of [jobs] stand before its tables.
  return [...jobs.values()].sort((a, b) => Number(isKnown(b.name)) - Number(isKnown(a.name)));
}

/** A name for people on one line, without an npm scope. */
function plainName(name: string): string {
  return name
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/^@[^/\s]+\//, '')
    .trim()
    .slice(0, 80)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim();
}
