/** Wildcard patterns, found by the URI of a message: one look-up for each way to leave components empty, however many patterns there are. */
/** The patterns of one number of components whose empty ones are the same. */
interface Shape {
  /** Which components are empty: one of these patterns. */
  readonly example: readonly string[]
  count: number
}

/** Most shapes for one number of components; 8 components have no more. */
const maxShapes = 256

/** Sorts the better wildcard pattern first: the one whose first wildcard that the other has not stands further right. */
function comparePatterns(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < a.length && index < b.length; index++) {
    if ((a[index] === '') !== (b[index] === '')) return a[index] === '' ? 1 : -1
  }
  return 0
}

/** The number of components of a URI. */
function countOf(uri: string): number {
  let count = 1
  for (let dot = uri.indexOf('.'); dot >= 0; dot = uri.indexOf('.', dot + 1)) count++
  return count
}

const isOfShape = (components: readonly string[], { example }: Shape): boolean =>
  comparePatterns(components, example) === 0

/** Entries by wildcard pattern; all patterns that fit one URI have shapes of their own. */
export class Wildcards<E> {
  /** Changed from outside, which {@link added} and {@link deleted} are told. */
  readonly entries = new Map<string, E>()
  /** By number of components, best shape first. */
  readonly #shapes = new Map<number, Shape[]>()

  /** Whether the pattern may be added. */
  hasRoom(pattern: string): boolean {
    const shapes = this.#shapes.get(countOf(pattern)) ?? []
    if (shapes.length < maxShapes) return true
    const components = pattern.split('.')
    return shapes.some((shape) => isOfShape(components, shape))
  }

  added(pattern: string): void {
    const components = pattern.split('.')
    const shapes = this.#shapes.get(components.length) ?? []
    const known = shapes.find((shape) => isOfShape(components, shape))
    if (known) known.count += 1
    else {
      shapes.push({ example: components, count: 1 })
      shapes.sort((a, b) => comparePatterns(a.example, b.example))
      this.#shapes.set(components.length, shapes)
    }
  }

  deleted(pattern: string): void {
    const components = pattern.split('.')
    const shapes = this.#shapes.get(components.length) ?? []
    const index = shapes.findIndex((shape) => isOfShape(components, shape))
    const shape = shapes[index]
    if (shape === undefined || --shape.count > 0) return
    shapes.splice(index, 1)
    if (shapes.length === 0) this.#shapes.delete(components.length)
  }

  /** The entry of the best pattern that fits a URI. */
  best(uri: string): E | undefined {
    return this.#find(uri, undefined)
  }

  /** Adds the entries of all patterns that fit a URI, best first. */
  find(uri: string, found: E[]): void {
    this.#find(uri, found)
  }

  /** Adds to the list what fits; without one, gives the first. */
  #find(uri: string, found: E[] | undefined): E | undefined {
    if (this.#shapes.size === 0) return undefined
    const shapes = this.#shapes.get(countOf(uri))
    if (shapes === undefined) return undefined
    const components = uri.split('.')
    for (const { example } of shapes) {
      const entry = this.entries.get(patternOf(components, example))
      if (entry === undefined) continue
      if (found === undefined) return entry
      found.push(entry)
    }
    return undefined
  }
}

/** The URI's components with the empty ones of a pattern left empty. */
function patternOf(components: readonly string[], example: readonly string[]): string {
  let pattern = ''
  for (let index = 0; index < components.length; index++) {
    if (index > 0) pattern += '.'
    if (example[index] !== '') pattern += components[index]
  }
  return pattern
}
