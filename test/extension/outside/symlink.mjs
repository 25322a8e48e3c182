import { symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { broken, journey } from '../../../scripts/vscode/journey.mjs';

export const name =
  'A folder opened through a symlink is the held root, and findings open in it, not beside it';

export async function run(stage) {
  const project = stage.project(broken('src/b.txt'));
  const link = join(dirname(project), 'link');
  symlinkSync(project, link);
  const window = await stage.open(link);
  await journey(stage, window, project, 'src/b.txt');
}
