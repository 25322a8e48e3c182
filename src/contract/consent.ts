/** How a person can be asked before something that needs their word, and what they said. */
export interface Consent {
  /** Whether whoever calls can put a question to a person. */
  canAsk: boolean;
  /** What a person said, and about what: a word about one commit is none about the next. `unasked`: the client failed to ask. */
  said?: { subject: string; answer: 'accept' | 'decline' | 'cancel' | 'unasked' } | undefined;
  /** Set when the verb refused because the person has yet to be asked this. */
  asks?: { subject: string; question: string } | undefined;
}
