/** Made by esbuild.mjs from `manifest.ts` when the product is built. */
declare module 'virtual:manifest' {
  const tools: import('./manifest.ts').ToolEntry[];
  export default tools;
}

/** Likewise: the one tool that only a server without a held root has. */
declare module 'virtual:projects-tool' {
  const tool: import('./manifest.ts').ToolEntry<'projects'>;
  export default tool;
}

/** The topics of `virtual:help` without their texts: the server lists them before it has loaded the engine. */
declare module 'virtual:help-topics' {
  const topics: Omit<import('../contract/help.ts').HelpPage, 'text'>[];
  export default topics;
}

/** The version in package.json. */
declare const DISCERN_VERSION: string;
