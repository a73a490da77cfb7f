/** Puts a value together from the pieces of its text, each of which is parsed by itself. */
import { setOwn } from '#component/syntax/values.ts'
import type { Piece } from './json-scan.ts'

type Members = Record<string, unknown>

/** In place of the value that the next piece begins with. */
const missing = 'null'

/** A value, as far as its pieces have come. */
export class PiecedValue {
  /** All of it behind the last piece. */
  value: unknown
  /** The containers that are open, from the outermost on. */
  #open: (unknown[] | Members)[] = []

  /** @param parse JSON text of the piece within the containers that it is part of */
  add({ text, start, end }: Piece, parse: (text: string) => unknown): void {
    const opening = start.map((key) => (key === undefined ? '[' : `{${JSON.stringify(key)}:`))
    const closing = end.map((key) => (key === undefined ? ']' : '}')).reverse()
    const last = end.length === 0 ? '' : missing
    const part = parse(`${opening.join('')}${text}${last}${closing.join('')}`)
    if (start.length === 0) this.value = part
    else this.#append(part, start)
    let at = this.value
    this.#open = end.map((key) => {
      const container = at as unknown[] | Members
      at = Array.isArray(container) ? container.at(-1) : container[key as string]
      return container
    })
    const innermost = this.#open.at(-1)
    // the missing value of a map has its key already, and is replaced
    if (Array.isArray(innermost)) innermost.pop()
  }

  /** Appends the members of each container that was open; its first one belongs to the container within, if there is one. */
  #append(part: unknown, start: Piece['start']): void {
    let at = part
    for (const [level, key] of start.entries()) {
      const isInnermost = level === start.length - 1
      const container = this.#open[level]
      if (Array.isArray(container)) {
        const items = at as unknown[]
        for (let index = isInnermost ? 0 : 1; index < items.length; index++)
          container.push(items[index])
        at = items[0]
      } else if (container !== undefined) {
        const members = at as Members
        for (const name in members)
          if (isInnermost || name !== key) setOwn(container, name, members[name])
        at = members[key as string]
      }
    }
  }
}
