/** The traits of each verb, made from the table of verbs when the product is built (esbuild.mjs). */
declare module 'virtual:traits' {
  const traits: Record<import('./verbs.ts').Verb, import('./verb.ts').VerbTraits>;
  export default traits;
}
