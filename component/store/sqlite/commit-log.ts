/** Brings commits to the disk beside the event loop: those that come while the disk is at work go to it together. */

/** The commits of one database. */
export class CommitLog {
  readonly #sync: () => Promise<void>
  #written = 0
  #synced = 0
  #syncing: Promise<void> | undefined

  /** @param sync brings everything that was written by now to the disk */
  constructor(sync: () => Promise<void>) {
    this.#sync = sync
  }

  /** Takes note of a commit that the operating system has and the disk may not have. */
  note(): void {
    this.#written++
  }

  /** Resolves when everything that was committed by now is on the disk; rejects when the disk fails. */
  async flush(): Promise<void> {
    const written = this.#written
    while (this.#synced < written) {
      this.#syncing ??= this.#syncAll()
      await this.#syncing
    }
  }

  async #syncAll(): Promise<void> {
    const written = this.#written
    try {
      await this.#sync()
      this.#synced = written
    } finally {
      this.#syncing = undefined
    }
  }
}
