/** The traits of each verb, made from the table of verbs when the product is built (scripts/generate.mjs). */
declare module '*/generated/traits.json' {
  const traits: Record<import('./verbs.ts').Verb, import('./verb.ts').VerbTraits>;
  export default traits;
}
