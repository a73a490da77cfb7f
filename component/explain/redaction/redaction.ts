/** Hides secrets in what is told of a request: by the names of members, then wherever a hidden value occurs once more. */
import { redacted } from '#component/syntax/redacted.ts'
import { isMap, type JsonMap, memberOf, setOwn } from '#component/syntax/values.ts'
import { SecretNames } from './secret-names.ts'
import { SecretValues } from './secret-values.ts'

/** Members whose text stems from the document: names within it give nothing a value. */
const written: ReadonlySet<string> = new Set(['expression', 'at', 'why'])

/** The secrets that are known before anything is told. */
export interface Sources {
  /** Names of the configuration (`explain.redact`). */
  readonly names: readonly string[]
  /** Header fields of the security scheme (`header_name`). */
  readonly headers: readonly string[]
  /** The request: its headers, query, bindings and body, decoded. */
  readonly request: unknown
}

/**
 * The same with its secrets replaced by {@link redacted}; nothing of `told` or the sources is changed.
 * @param told maps, lists, texts, numbers and bytes
 */
export function redact(told: unknown, { names, headers, request }: Sources): unknown {
  const pass = new Pass(new SecretNames(names, headers))
  pass.collect(request)
  pass.collect(told)
  return pass.hide(told)
}

class Pass {
  readonly #names: SecretNames
  readonly #values = new SecretValues()

  constructor(names: SecretNames) {
    this.#names = names
  }

  /** Finds the secrets by their names. */
  collect(value: unknown, key = ''): void {
    if (Array.isArray(value)) {
      for (const member of value) this.collect(member, key)
    } else if (isMap(value)) {
      for (const [name, member] of Object.entries(this.#marked(value))) {
        if (member === redacted) this.#values.add(value[name], name.toLowerCase())
        else this.collect(member, name)
      }
    } else if (typeof value === 'string' && !written.has(key)) {
      this.#values.add(this.#names.valuesIn(value))
    }
  }

  hide(value: unknown, key = ''): unknown {
    if (Array.isArray(value)) return value.map((member) => this.hide(member, key))
    if (!isMap(value)) return this.#isSecret(value, key) ? redacted : value
    const shown: Record<string, unknown> = {}
    for (const [name, member] of Object.entries(this.#marked(value))) {
      setOwn(shown, this.#nameIn(shown, name), this.hide(member, name))
    }
    return shown
  }

  /** The map with {@link redacted} in place of the members that are secret by a name. */
  #marked(map: JsonMap): JsonMap {
    const marked: Record<string, unknown> = {}
    for (const [key, member] of Object.entries(map)) {
      const isSecret = this.#names.has(key) && member !== null && member !== ''
      setOwn(marked, key, isSecret ? redacted : member)
    }
    const { steps, at } = map
    if (!Array.isArray(steps)) return marked
    const isForSecret = typeof at === 'string' && this.#names.has(lastOf(at, '/'))
    const first = isForSecret ? 0 : steps.findIndex((step) => this.#yieldsSecret(step))
    if (first < 0) return marked
    // whatever follows in the same evaluation is made of the secret
    marked.steps = steps.map((step, index) => (index < first ? step : withoutValue(step)))
    return Object.assign(marked, withoutValue(map), { steps: marked.steps })
  }

  /** Whether a step of an evaluation reads a member of such a name. */
  #yieldsSecret(step: unknown): boolean {
    const [read, name] = [memberOf(step, 'read'), memberOf(step, 'function')]
    if (typeof read === 'string') return this.#names.has(lastOf(read, '.'))
    const given = memberOf(step, 'arguments')
    const isName = (one: unknown) => typeof one === 'string' && this.#names.has(one)
    return name === 'get' && Array.isArray(given) && given.some(isName)
  }

  /** A key that shows a secret is hidden, too, and keeps apart from others. */
  #nameIn(map: JsonMap, name: string): string {
    if (!this.#values.isShownIn(name)) return name
    let hidden: string = redacted
    for (let count = 2; Object.hasOwn(map, hidden); count += 1) hidden = `${redacted} ${count}`
    return hidden
  }

  #isSecret(value: unknown, key: string): boolean {
    if (this.#values.isShownIn(value)) return true
    return typeof value === 'string' && !written.has(key) && this.#names.valuesIn(value).length > 0
  }
}

const withoutValue = (step: unknown): unknown =>
  isMap(step) && Object.hasOwn(step, 'value') ? { ...step, value: redacted } : step

const lastOf = (path: string, mark: string): string => path.slice(path.lastIndexOf(mark) + 1)
