/** The names under which requests, answers and documents hold secrets. */

/** Header fields that are secret as a whole. */
const fields = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'idempotency-key']

/** Parts of names: `api_key` stands for `apiKey` and `X-API-Key`, too. */
const parts = ['password', 'secret', 'token', 'credential', 'api_key', 'private']

/** A name without letter case and punctuation. */
const plainOf = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Decides by name alone. */
export class SecretNames {
  readonly #whole: ReadonlySet<string>
  readonly #parts: readonly string[]

  /**
   * @param more names of the configuration: any name that holds one of them is secret
   * @param headers further header fields, such as the `header_name` of a security scheme
   */
  constructor(more: readonly string[] = [], headers: readonly string[] = []) {
    this.#whole = new Set([...fields, ...headers].map(plainOf))
    this.#parts = [...parts, ...more].map(plainOf).filter((part) => part !== '')
  }

  has(name: string): boolean {
    const plain = plainOf(name)
    return this.#whole.has(plain) || this.#parts.some((part) => plain.includes(part))
  }

  /** The values that a text gives such names: in a query, a form, a cookie, JSON. */
  valuesIn(text: string): string[] {
    const pairs = [...assignments(text), ...jsonMembers(text)]
    return pairs.filter(([name]) => this.has(name)).map(([, value]) => value)
  }
}

type Pair = readonly [name: string, value: string]

/** `name=value`. */
function assignments(text: string): Pair[] {
  if (!text.includes('=')) return []
  return text.split(/[\s?&;,"]/).flatMap((part): Pair[] => {
    const equals = part.indexOf('=')
    const value = part.slice(equals + 1)
    return equals > 0 && value !== '' ? [[part.slice(0, equals), value]] : []
  })
}

/** `"name": value`, also where the quotes are escaped, as in JSON within JSON. A scan without going back: texts may be long. */
function jsonMembers(text: string): Pair[] {
  if (!text.includes('"')) return []
  const parts = text.split('"')
  return parts.flatMap((name, index): Pair[] => {
    const behind = parts[index + 1]?.trimStart()
    if (behind?.[0] !== ':') return []
    const scalar = behind.slice(1).split(/[,}\]]/, 1)[0] ?? ''
    const bare = scalar.replaceAll('\\', '').trim()
    const value = bare === '' ? (parts[index + 2] ?? '').replace(/\\$/, '') : bare
    return value === '' ? [] : [[name, value]]
  })
}
