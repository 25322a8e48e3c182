import { join } from 'node:path';
import { stateDir } from '../files/files.ts';
import { type Kind, readRecordFile, writeRecordFile } from './record.ts';
import { removeOwnFile } from './remove.ts';

/** Where a run writes down what it is about to do, so that whoever comes next can go on with it or take it back. */
export interface Journal<Value> {
  path(commonDir: string): string;
  /** What is written down; nothing where what lies there is not ours to act on. */
  read(commonDir: string): Promise<Value | undefined>;
  /** Why what lies there is not acted on, in words that follow its path. */
  distrust(commonDir: string): Promise<string | undefined>;
  write(commonDir: string, value: Value): Promise<void>;
  close(commonDir: string): Promise<void>;
}

/** The one journal of a kind in a repository. `isOurs` says more of a value than its schema can. */
export function journalOf<Value extends object>(
  file: string,
  kind: Kind<Value>,
  isOurs: (value: Value) => boolean = () => true,
): Journal<Value> {
  const path = (commonDir: string) => join(stateDir(commonDir), file);
  const found = (commonDir: string) => readRecordFile(commonDir, path(commonDir), kind);
  return {
    path,
    async read(commonDir) {
      const one = await found(commonDir);
      return one && 'value' in one && isOurs(one.value) ? one.value : undefined;
    },
    async distrust(commonDir) {
      const one = await found(commonDir);
      if (!one) return undefined;
      if ('distrust' in one) return one.distrust;
      return isOurs(one.value) ? undefined : 'names what discern would not';
    },
    write: (commonDir, value) => writeRecordFile(commonDir, path(commonDir), kind, value),
    async close(commonDir) {
      await removeOwnFile(path(commonDir));
    },
  };
}
