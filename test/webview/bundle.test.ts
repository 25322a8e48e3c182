import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, build } from 'esbuild';

/** The repository's root, put in when the tests are bundled. */
declare const DISCERN_HOME: string;

describe('The bundle of the Gate view', () => {
  it('is one small script and one stylesheet that a strict content policy lets pass', async () => {
    const file = pathToFileURL(join(DISCERN_HOME, 'scripts', 'webview-build.mjs')).href;
    const { webviewBuild } = (await import(file)) as { webviewBuild(outdir: string): BuildOptions };
    const { outputFiles = [] } = await build({ ...webviewBuild(join(DISCERN_HOME, 'dist')), write: false });
    const files = new Map(outputFiles.map(({ path, text }) => [path.replace(/^.*[\\/]/, ''), text]));
    assert.deepEqual([...files.keys()].sort(), ['webview.css', 'webview.js']);
    const [script = '', styles = ''] = [files.get('webview.js'), files.get('webview.css')];
    assert.ok(script.length < 200_000, `${script.length} characters`);
    assert.doesNotMatch(script, /\beval\(|new Function\(|document\.write/);
    assert.doesNotMatch(styles, /url\(|@import/, 'it loads nothing else');
    assert.ok(styles.includes('--vscode-testing-iconPassed'));
  });
});
