import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '../files/errno.ts';
import { orWhenAbsent } from '../files/files.ts';
import { foreignOnTheWay, madeOwnDir } from '../state/own-dir.ts';
import { hashFile } from './hash-file.ts';
import type { KeptFile, Receipt } from './receipt.ts';

/** The largest file of which a copy is kept, in bytes. */
export const LARGEST_ARTIFACT = 128 * 1024 * 1024;

/** Where the copies of one result's files lie. */
export const keptPath = (dir: string, key: string, index: number) => join(dir, `${key}-${index}`);

/** Copies what a job made, whole or not at all; answers why not in words that follow the job's name. */
export async function keepFiles(
  root: string,
  files: readonly string[],
  dir: string,
  key: string,
): Promise<{ kept: KeptFile[] } | { why: string }> {
  const kept: KeptFile[] = [];
  if (files.length > 0) await madeOwnDir(dir);
  for (const [index, path] of files.entries()) {
    const from = join(root, path);
    if (!(await isPlainPath(root, path))) return { why: `made ${path} behind a link` };
    const found = await lstatOf(from);
    if (!found) return { why: `did not make its artifact ${path}` };
    if (!found.isFile()) return { why: `made ${path}, which is not a regular file` };
    if (found.size > LARGEST_ARTIFACT) return { why: `made ${path} of more than 128 MiB` };
    const to = keptPath(dir, key, index);
    const temporary = `${to}.${randomBytes(4).toString('hex')}.tmp`;
    try {
      await copyFile(from, temporary, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      // The copy is hashed, not the file: that may still be written to.
      kept.push({ path, sha256: await hashFile(temporary), mode: found.mode & 0o777, size: found.size });
      await rename(temporary, to);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
  return { kept };
}

/**
 * Puts back what a result's job made. Files that are there as they were are left alone; a tracked one is never written, nor
 * one behind a link or of another kind. False when anything is not as it was kept: then the job has to run.
 */
export async function restoreFiles(
  root: string,
  { key, artifacts }: Receipt,
  dir: string,
  isTracked: (path: string) => boolean,
): Promise<boolean> {
  const missing: { file: KeptFile; copy: string }[] = [];
  for (const [index, file] of artifacts.entries()) {
    if (!(await isPlainPath(root, file.path))) return false;
    const target = join(root, file.path);
    const there = await lstatOf(target);
    if (there && !there.isFile()) return false;
    const hasMode = there !== undefined && (there.mode & 0o777) === file.mode;
    if (hasMode && there.size === file.size && (await hashFile(target)) === file.sha256) continue;
    if (isTracked(file.path)) return false;
    const copy = keptPath(dir, key, index);
    const found = (await foreignOnTheWay(dir)) === undefined ? await lstatOf(copy) : undefined;
    if (!found?.isFile() || found.size !== file.size || (await hashFile(copy)) !== file.sha256) return false;
    missing.push({ file, copy });
  }
  for (const { file, copy } of missing) {
    const target = join(root, file.path);
    const temporary = `${target}.${randomBytes(4).toString('hex')}.tmp`;
    try {
      await mkdir(dirname(target), { recursive: true });
      await copyFile(copy, temporary, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      await chmod(temporary, file.mode);
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      // A directory that may not be written, a full disk: the job's own run will say so better.
      if (errnoOf(error) === undefined) throw error;
      return false;
    }
  }
  return true;
}

/** True when no directory on the way to a file is a link, or something else. */
async function isPlainPath(root: string, path: string): Promise<boolean> {
  let at = root;
  for (const part of dirname(path)
    .split('/')
    .filter((one) => one !== '' && one !== '.')) {
    at = join(at, part);
    const found = await lstatOf(at);
    if (!found) return true;
    if (!found.isDirectory()) return false;
  }
  return true;
}

const lstatOf = (path: string) => lstat(path).catch(orWhenAbsent(undefined));
