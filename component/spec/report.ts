/** Collects what is wrong in a document: every issue once, at its own JSON Pointer. */

import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { suggest } from '#component/expression/suggest.ts'

/** Beyond these, a hostile document costs no more memory or time: issues are only counted, warnings dropped. */
const maxDescribed = 1000
const maxSuggestions = 100

const uncounted: Issue = { path: '', message: 'more issues than are listed' }

/** Receives issues and warnings while a document is walked. */
export class Report {
  readonly issues: Issue[] = []
  readonly warnings: Issue[]
  readonly #paths = new Set<string>()

  constructor(warnings: Issue[] = []) {
    this.warnings = warnings
  }

  /** One place has one issue: what was found there first is what its author has to mend. */
  issue(pointer: string, message: string): void {
    const path = pointer.toWellFormed()
    if (this.issues.length >= maxDescribed) {
      this.issues.push(uncounted)
    } else if (!this.#paths.has(path)) {
      this.#paths.add(path)
      this.issues.push({ path, message })
    }
  }

  /** The value at a path is not what is allowed there. */
  expected(path: string, allowed: string, found: unknown): void {
    this.issue(path, `expected ${allowed}, got ${describe(found)}`)
  }

  /** A required key is absent; reported where it ought to stand. */
  missing(path: string, key: string, allowed: string): void {
    this.issue(pointer(path, key), `${key} is missing: expected ${allowed}`)
  }

  /** Reports keys that nobody reads. */
  unknownKeys(map: object, path: string, known: readonly string[]): void {
    for (const key of Object.keys(map)) {
      if (known.includes(key) || this.warnings.length >= maxDescribed) continue
      const near =
        this.warnings.length < maxSuggestions ? suggest(key.toLowerCase(), known) : undefined
      const hint = near === undefined ? '' : `; did you mean ${near}?`
      const name = describe(key)
      this.warn(pointer(path, key), `the key ${name} is unknown and is ignored${hint}`)
    }
  }

  warn(path: string, message: string): void {
    this.warnings.push({ path: path.toWellFormed(), message })
  }
}

/** A value in a few words: its type, and texts and numbers shortened to 60 characters. */
export function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  if (typeof value !== 'string') return String(value)
  const isLong = value.length > 60
  return JSON.stringify((isLong ? value.slice(0, 60) : value).toWellFormed()) + (isLong ? '…' : '')
}
