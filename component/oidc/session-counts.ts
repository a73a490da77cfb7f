/** What has become of sessions at providers, for metrics; whose they were is not kept. */

/** One for each process. */
export class SessionCounts {
  /** Logout tokens by their result; `limited`: untried, because too many came; `failed`: the provider or the store was away. */
  readonly logouts = { ok: 0, refused: 0, limited: 0, failed: 0 }

  /** Questions to providers about logins; `failed`: no answer, or one that could not be read. */
  readonly rechecks = { same: 0, changed: 0, ended: 0, failed: 0 }
}
