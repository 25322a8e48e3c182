/** Made by scripts/generate.mjs from `manifest.ts` when the product is built. */
declare module '*/generated/manifest.json' {
  const tools: import('./manifest.ts').ToolEntry[];
  export default tools;
}

/** The topics of `help.json` without their texts: the server lists them before it has loaded the engine. */
declare module '*/generated/help-topics.json' {
  const topics: Omit<import('../contract/help.ts').HelpPage, 'text'>[];
  export default topics;
}

/** The version in package.json. */
declare const DISCERN_VERSION: string;
