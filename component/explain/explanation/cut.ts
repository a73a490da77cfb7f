/** Cuts values to a number of bytes: what is left out is counted in their place. */
import { isMap, setOwn } from '#component/syntax/values.ts'

/** Stands for what was left out. */
const mark = '…'

/**
 * The value, shortened to about `bytes` bytes of JSON: long texts are cut, lists and maps end early.
 * @returns the value itself when it fits
 */
export function cut(value: unknown, bytes: number): unknown {
  const cutter = new Cutter(bytes)
  const shorter = cutter.cut(value)
  return cutter.hasCut ? shorter : value
}

class Cutter {
  #left: number
  hasCut = false

  constructor(bytes: number) {
    this.#left = bytes
  }

  cut(value: unknown): unknown {
    if (Array.isArray(value)) return this.#list(value)
    if (isMap(value)) return this.#map(value)
    if (typeof value === 'string') return this.#text(value)
    this.#left -= value instanceof Uint8Array ? value.length : String(value).length
    if (this.#left >= 0 || !(value instanceof Uint8Array)) return value
    this.hasCut = true
    return `${mark} ${value.length} bytes`
  }

  #text(text: string): string {
    const bytes = Buffer.from(text)
    const room = Math.max(0, this.#left)
    this.#left -= bytes.length + 2
    if (bytes.length <= room) return text
    this.hasCut = true
    // a character that was cut in two becomes U+FFFD at the end
    return `${bytes
      .subarray(0, room)
      .toString('utf8')
      .replace(/\uFFFD+$/, '')}${mark}`
  }

  #list(list: readonly unknown[]): unknown[] {
    this.#left -= 2
    const shorter: unknown[] = []
    for (const member of list) {
      if (this.#left <= 0) {
        shorter.push(this.#rest(list.length - shorter.length))
        break
      }
      shorter.push(this.cut(member))
      this.#left -= 1
    }
    return shorter
  }

  #map(map: Readonly<Record<string, unknown>>): Record<string, unknown> {
    this.#left -= 2
    const shorter: Record<string, unknown> = {}
    const entries = Object.entries(map)
    for (const [index, [key, member]] of entries.entries()) {
      if (this.#left <= 0) {
        shorter[mark] = this.#rest(entries.length - index)
        break
      }
      this.#left -= key.length + 4
      setOwn(shorter, key, this.cut(member))
    }
    return shorter
  }

  #rest(count: number): string {
    this.hasCut = true
    return `${mark} ${count} more`
  }
}
