/** Made by esbuild.mjs from `manifest.ts` when the product is built. */
declare module 'virtual:manifest' {
  import type { ToolEntry } from './manifest.ts';

  const tools: ToolEntry[];
  export default tools;
}

/** The version in package.json. */
declare const DISCERN_VERSION: string;
