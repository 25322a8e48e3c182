import type { Diagnostic, Plan, Step } from '../../contract/envelope.ts';
import type { RefusalSlug } from '../../contract/refusals.ts';

/** What a refusal may carry beside its slug and sentence. */
export interface RefusalDetail {
  data?: Record<string, unknown>;
  diagnostics?: Diagnostic[];
  hints?: string[];
  steps?: Step[];
  plan?: Plan;
}

/**
 * The one way an engine function says no. `message` is a plain sentence that says what to do next.
 * Only `runVerb` catches it, and turns it into the envelope.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly slug: RefusalSlug;
  readonly detail: RefusalDetail;

  constructor(slug: RefusalSlug, message: string, detail: RefusalDetail = {}) {
    super(message);
    this.slug = slug;
    this.detail = detail;
  }

  /** True for a refusal, also one made by another copy of this class: the server and the engine are two bundles. */
  static is(error: unknown): error is Refusal {
    return error instanceof Error && error.name === 'Refusal' && 'slug' in error;
  }
}
