// Writes the generated parts of docs/help anew, from the schema of discern.toml and the table of verbs.
import { writeFileSync } from 'node:fs';
import { evaluate, helpSources } from './generate.mjs';

const { withGenerated } = await evaluate('src/reference/pages.ts');
for (const [topic, source] of Object.entries(helpSources())) {
  const now = withGenerated(topic, source);
  if (now === source) continue;
  writeFileSync(new URL(`../docs/help/${topic}.md`, import.meta.url), now);
  process.stdout.write(`docs/help/${topic}.md was brought up to date\n`);
}
