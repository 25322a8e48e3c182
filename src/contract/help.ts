/** One topic of the help the product carries. */
export interface HelpPage {
  topic: string;
  title: string;
  /** One line. */
  summary: string;
  /** Markdown, title included. */
  text: string;
}

/** All of it, made from `docs/help` when the product is built. */
export interface Help {
  pages: HelpPage[];
  /** What can be asked for by name within a topic: verbs and refusals. */
  entries: Record<string, { topic: string; text: string }>;
}
