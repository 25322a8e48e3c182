import { stat } from 'node:fs/promises';

/** Whether there is a directory of that name; also no where nobody may look. */
export const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
