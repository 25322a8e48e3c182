/** Made by esbuild.mjs from `docs/help` when the product is built. */
declare module 'virtual:help' {
  const help: import('../contract/help.ts').Help;
  export default help;
}
