/** Made by scripts/generate.mjs from `docs/help` when the product is built. */
declare module '*/generated/help.json' {
  const help: import('../contract/help.ts').Help;
  export default help;
}
