import { broken, journey } from '../../../scripts/vscode/journey.mjs';

export const name =
  'A project whose path has spaces, #, % and letters from everywhere is gated, opened and landed like any other';

const file = 'src/größe #2 50% 値.txt';

export async function run(stage) {
  const project = stage.project(broken(file), 'Größe #1 100%25 日本');
  const window = await stage.open(project);
  await journey(stage, window, project, file);
}
