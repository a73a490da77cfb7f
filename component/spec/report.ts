/** Collects the issues of a document, one for each JSON Pointer, and its warnings. */

import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { suggest } from '#component/expression/suggest.ts'

/** Beyond these limits issues are only counted and warnings dropped, so that a hostile document costs no more memory or time. */
const maxDescribed = 1000
const maxSuggestions = 100

const uncounted: Issue = { path: '', message: 'more issues than are listed' }

/** Receives issues and warnings while a document is walked. */
export class Report {
  readonly issues: Issue[] = []
  readonly warnings: Issue[]
  readonly #paths = new Set<string>()
  readonly #values: 'shown' | 'hidden'

  /** @param values whether messages show scalar values: those of a realm document may be secrets */
  constructor(warnings: Issue[] = [], values: 'shown' | 'hidden' = 'shown') {
    this.warnings = warnings
    this.#values = values
  }

  /** Keeps the first issue of each place. */
  issue(pointer: string, message: string): void {
    const path = pointer.toWellFormed()
    if (this.issues.length >= maxDescribed) {
      this.issues.push(uncounted)
    } else if (!this.#paths.has(path)) {
      this.#paths.add(path)
      this.issues.push({ path, message })
    }
  }

  /** Reports a value that is not allowed at its path. */
  expected(path: string, allowed: string, found: unknown): void {
    this.issue(path, `expected ${allowed}${this.got(found)}`)
  }

  /** Reports that a value is not among the allowed texts, and names the allowed text that it resembles, unless values are hidden. */
  noneOf(path: string, values: readonly string[], found: unknown): void {
    const isHinted =
      this.#values === 'shown' && typeof found === 'string' && this.issues.length < maxSuggestions
    const hint = isHinted ? hintOf(found.toLowerCase(), values) : ''
    this.issue(path, `expected one of ${values.join(', ')}${this.got(found)}${hint}`)
  }

  /** `, got …` for the end of a message; empty for a scalar that is hidden. */
  got(value: unknown): string {
    return this.#values === 'hidden' && typeof value !== 'object' ? '' : `, got ${describe(value)}`
  }

  /** Reports an absent required key, at the path of the key. */
  missing(path: string, key: string, allowed: string): void {
    this.issue(pointer(path, key), `${key} is missing: expected ${allowed}`)
  }

  /**
   * Reports unknown keys; of an issue, `comment` is for people, and none.
   * @param homeOf where a key belongs, in words; a key that belongs nowhere may be a misspelt one
   */
  unknownKeys(
    map: object,
    path: string,
    known: readonly string[],
    homeOf: (key: string) => string | undefined = () => undefined,
    as: 'warning' | 'issue' = 'warning',
  ): void {
    const told = as === 'issue' ? this.issues : this.warnings
    for (const key of Object.keys(map)) {
      if (known.includes(key) || (as === 'issue' && key === 'comment')) continue
      if (as === 'warning' && told.length >= maxDescribed) continue
      const home = homeOf(key)
      let hint = home === undefined ? '' : `; ${home}`
      if (hint === '' && told.length < maxSuggestions) {
        hint = hintOf(key.toLowerCase(), known)
      }
      const name = describe(key)
      const at = pointer(path, key)
      if (as === 'warning') this.warn(at, `the key ${name} is unknown and is ignored${hint}`)
      else this.issue(at, `the key ${name} is unknown: expected one of ${known.join(', ')}${hint}`)
    }
  }

  warn(path: string, message: string): void {
    this.warnings.push({ path: path.toWellFormed(), message })
  }
}

/** `; did you mean …?` for a word that resembles a known one, else empty. */
export function hintOf(word: string, known: Iterable<string>): string {
  const near = suggest(word, [...known])
  return near === undefined ? '' : `; did you mean ${near}?`
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
