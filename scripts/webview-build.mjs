// How the Gate view is bundled: `build(webviewBuild(outdir))` writes webview.js and webview.css there.
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The esbuild options of the Gate view. `target` is the Chromium of the oldest VS Code the extension runs in, 1.101. */
export function webviewBuild(outdir) {
  return {
    entryPoints: { webview: here('src/webview/main.ts') },
    outdir,
    bundle: true,
    platform: 'browser',
    target: 'chrome134',
    format: 'iife',
    minify: true,
    loader: { '.svg': 'text' },
    logLevel: 'warning',
    metafile: true,
  };
}
