/** The names under which requests, answers and documents hold secrets. */

/** Header fields that are secret as a whole. */
const fields = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'idempotency-key']

/** Parts of names: `api_key` stands for `apiKey` and `X-API-Key`, too. */
const parts = ['password', 'secret', 'token', 'credential', 'api_key', 'private']

/** A name and its value within a text: `name=value`, and `"name": value` of JSON. */
const pairs: readonly RegExp[] = [
  /([^\s?&;,="]+)=([^\s&;]+)/g,
  /"((?:[^"\\]|\\.)*)"\s*:\s*"?((?:[^"\\,}]|\\.)+)/g,
]

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
    const values: string[] = []
    for (const pair of pairs) {
      for (const [, name = '', value = ''] of text.matchAll(pair)) {
        if (this.has(name)) values.push(value)
      }
    }
    return values
  }
}
