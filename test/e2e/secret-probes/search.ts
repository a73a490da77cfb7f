/** Looks for secrets in whatever a gateway has written, in every form that they may have taken on the way. */

/** One form of a secret. */
interface Needle {
  readonly form: string
  readonly bytes: Buffer
}

/** Characters of the context that a finding shows. */
const shown = 60

/** Findings of one form. */
const most = 5

/**
 * Base64 of the text wherever it begins in what was encoded: of each of three alignments the digits that depend on the text
 * alone.
 */
function base64Needles(text: string): Needle[] {
  return [0, 1, 2].flatMap((before) => {
    const digits = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).toString('base64')
    const begin = [0, 2, 3][before] ?? 0
    const end = Math.floor(((before + Buffer.byteLength(text)) * 8) / 6)
    const own = digits.slice(begin, end)
    const url = own.replaceAll('+', '-').replaceAll('/', '_')
    return [
      { form: `base64, ${before} bytes in`, bytes: Buffer.from(own) },
      ...(url === own ? [] : [{ form: `base64url, ${before} bytes in`, bytes: Buffer.from(url) }]),
    ]
  })
}

/** The forms of a text; those that it is not changed by are one. */
function needlesOf(text: string): Needle[] {
  const hex = Buffer.from(text).toString('hex')
  const escaped = (digits: string) => (digits.match(/../g) ?? []).map((one) => `%${one}`).join('')
  const others = {
    plain: text,
    'lower case': text.toLowerCase(),
    'upper case': text.toUpperCase(),
    JSON: JSON.stringify(text).slice(1, -1),
    hex,
    'upper-case hex': hex.toUpperCase(),
    'URL-encoded': encodeURIComponent(text),
    form: new URLSearchParams({ text }).toString().slice('text='.length),
    'URL-encoded whole': escaped(hex),
    'upper-case URL-encoded whole': escaped(hex.toUpperCase()),
  }
  const unique = new Map<string, string>()
  for (const [form, one] of Object.entries(others)) {
    if (!unique.has(one)) unique.set(one, form)
  }
  return [
    ...Array.from(unique, ([one, form]) => ({ form, bytes: Buffer.from(one) })),
    ...base64Needles(text),
  ]
}

/** Secrets by name, and the search for them. */
export class SecretSearch {
  readonly #needles = new Map<string, readonly Needle[]>()

  /** @param text of which enough is random that no other text holds it by chance */
  add(name: string, text: string): void {
    this.#needles.set(name, needlesOf(text))
  }

  get size(): number {
    return this.#needles.size
  }

  /** The forms in which secrets are looked for: text and bytes. */
  forms(name: string): readonly Needle[] {
    return this.#needles.get(name) ?? []
  }

  /** What there is: secret, form, and the text around it. */
  find(place: string | Uint8Array): string[] {
    const bytes = typeof place === 'string' ? Buffer.from(place) : Buffer.from(place)
    const found: string[] = []
    for (const [name, needles] of this.#needles) {
      for (const { form, bytes: needle } of needles) {
        let at = bytes.indexOf(needle)
        for (let more = most; at >= 0 && more > 0; more -= 1) {
          const around = bytes.subarray(Math.max(at - shown, 0), at + needle.length + shown)
          found.push(`${name}, ${form}: …${around.toString('latin1')}…`)
          at = bytes.indexOf(needle, at + needle.length)
        }
      }
    }
    return found
  }
}
