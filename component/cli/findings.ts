/** Findings: what is wrong at a place of a file. */

/** One finding. */
export interface Finding {
  /** A notice tells a difference. */
  readonly severity: 'error' | 'warning' | 'notice'
  /** The path of the file, as it was named. */
  readonly file: string
  /** Where the value begins, counted from 1; absent when the file has no text to point at. */
  readonly place?: {
    readonly line: number
    readonly column: number
    /** The whole line, for people. */
    readonly text: string
  }
  /** JSON Pointer; '' is the whole document. */
  readonly path: string
  readonly message: string
}
