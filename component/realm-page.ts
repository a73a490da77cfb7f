/** What the pages that people meet in a browser say of a realm. */

/** Plain texts of one line. */
export interface RealmPage {
  /** What people know the realm by. */
  readonly name: string
  /** Beside the choice among identity providers. */
  readonly text?: string
  /** Where people get help. */
  readonly support?: string
}
