/** Findings: what is wrong at a place of a file. */
import type { Place } from '#component/codec/yaml.ts'

/** One finding. */
export interface Finding {
  /** A notice tells a difference. */
  readonly severity: 'error' | 'warning' | 'notice'
  /** Absent: what the severity says. */
  readonly rule?: 'example-fails'
  /** The path of the file, as it was named. */
  readonly file: string
  /** Where the value begins; absent when the file has no text to point at. */
  readonly place?: Place
  /** JSON Pointer; '' is the whole document. */
  readonly path: string
  readonly message: string
}
