/** What has become of sessions at providers, for metrics; whose they were is not kept. */

/** One for each process. */
export class SessionCounts {
  /** Logout tokens by their result; `limited`: untried, because too many came; `failed`: the provider or the store was away. */
  readonly logouts = { ok: 0, refused: 0, limited: 0, failed: 0 }
}
