// `npm run package`: the VSIX, from what is built.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Packages an extension, this repository's own as it is built unless `from` names another folder, into `file`; `version` stands
 * in for the manifest's. Returns the file.
 */
export function packageExtension(file, { version, from = root } = {}) {
  if (from !== root) return pack(file, from, version);
  const stage = mkdtempSync(join(tmpdir(), 'discern-vsix-'));
  try {
    stageExtension(stage);
    return pack(file, stage, version);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** What the VSIX is made from, as a folder of its own: "files" in the manifest is npm's list, and vsce takes it for its own. */
function stageExtension(stage) {
  const {
    files: _files,
    scripts: _scripts,
    devDependencies: _packages,
    ...manifest
  } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(stage, 'README.md'), withoutPictures(readFileSync(join(root, 'README.md'), 'utf8')));
  for (const name of ['.vscodeignore', 'package.nls.json', 'CHANGELOG.md', 'LICENSE', 'dist', 'media'])
    cpSync(join(root, name), join(stage, name), { recursive: true });
}

/**
 * A Markdown text less the paragraphs that show or name our pictures. VS Code's page of an extension loads pictures from the
 * web only (its `img-src` is `https: data:`), so pictures in the VSIX would weigh much and show nowhere.
 */
export function withoutPictures(text) {
  return text
    .split(/\n{2,}/)
    .filter((paragraph) => !paragraph.includes('](docs/images/'))
    .join('\n\n');
}

function pack(file, from, version) {
  execFileSync(
    process.execPath,
    [
      join(root, 'node_modules', '@vscode', 'vsce', 'vsce'),
      ...[
        'package',
        ...(version ? [version, '--no-update-package-json', '--no-git-tag-version'] : []),
        '--no-dependencies',
        '--skip-license',
        '--allow-missing-repository',
        '--no-rewrite-relative-links',
        '--out',
        file,
      ],
    ],
    // What it tells goes to stderr, so that callers keep stdout for themselves.
    { cwd: from, stdio: ['ignore', 2, 2] },
  );
  return file;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const file = packageExtension(join(root, `${name}-${version}.vsix`));
  process.stdout.write(`${file}: ${(statSync(file).size / 1024).toFixed(0)} kB\n`);
}
