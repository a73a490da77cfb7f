/** Collects what an import does not carry over. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import type { JsonMap } from '#component/syntax/values.ts'

/** Keys of one kind of object: those that are carried over, and why others are not. */
export interface KnownKeys {
  readonly carried: readonly string[]
  readonly reasons?: Readonly<Record<string, string>>
}

/** Receives what is lost, with JSON Pointers into the OpenAPI document. */
export class Losses {
  readonly #issues: Issue[] = []
  readonly #places = new Set<string>()
  /** Extensions by their names: the first place of each, and the number of places. */
  readonly #extensions = new Map<string, { readonly path: string; count: number }>()

  /** Tells a loss, once for each place and message: a component that several operations use is read several times. */
  tell(path: string, message: string): void {
    const key = `${path}\n${message}`
    if (this.#places.has(key)) return
    this.#places.add(key)
    this.#issues.push({ path: path.toWellFormed(), message })
  }

  /** Tells the keys of an object that are not carried over; an empty list or map loses nothing. */
  tellOthers(object: JsonMap, at: string, { carried, reasons = {} }: KnownKeys): void {
    for (const [key, value] of Object.entries(object)) {
      if (carried.includes(key) || isEmpty(value)) continue
      const path = pointer(at, key)
      if (key.startsWith('x-')) this.#tellExtension(key, path)
      else this.tell(path, reasons[key] ?? 'it is not carried over')
    }
  }

  #tellExtension(key: string, path: string): void {
    if (this.#places.has(path)) return
    this.#places.add(path)
    const known = this.#extensions.get(key)
    if (known) known.count++
    else this.#extensions.set(key, { path, count: 1 })
  }

  /** Everything that was told, in its order; then one line for each extension. */
  all(): readonly Issue[] {
    const extensions = [...this.#extensions.values()].map(({ path, count }) => ({
      path,
      message: `the gateway does not know this extension${count > 1 ? ` (${count} places)` : ''}`,
    }))
    return [...this.#issues, ...extensions]
  }
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0
