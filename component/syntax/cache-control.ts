/** `Cache-Control`: its directives (RFC 9111 §5.2). */

const directive = /([!#$%&'*+\-.^`|~\w]+)(?:=(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/g
const deltaSeconds = /^\d+$/

/** Greater times are read as this one; seconds (RFC 9111 §1.2.2). */
const maxSeconds = 2_147_483_648

/** The directives of a field, their names in lower case. */
export class CacheControl {
  readonly #arguments = new Map<string, string[]>()

  /** @param field undefined: it is absent */
  constructor(field: string | undefined) {
    if (field === undefined) return
    for (const [, name = '', quoted, token] of field.matchAll(directive)) {
      const key = name.toLowerCase()
      const given = this.#arguments.get(key) ?? []
      given.push(quoted ?? token ?? '')
      this.#arguments.set(key, given)
    }
  }

  has(name: string): boolean {
    return this.#arguments.has(name)
  }

  /** The seconds of a directive: of several the least, and 0 where they are malformed (RFC 9111 §4.2.1); undefined: it is absent. */
  seconds(name: string): number | undefined {
    const given = this.#arguments.get(name)
    if (given === undefined) return undefined
    const read = given.map((text) => (deltaSeconds.test(text) ? Number(text) : 0))
    return Math.min(...read, maxSeconds)
  }
}
