/** The OpenAPI document that is imported: its version, and references within it. */
import { keysOfPointer, pointer } from '#component/codec/json.ts'
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'
import { Losses } from './losses.ts'

/** A map of the document, and its JSON Pointer. */
export interface Place {
  readonly map: JsonMap
  readonly at: string
}

/** The key of a document under which the files stand that it refers to, by their paths. */
export const filesKey = 'x-files'

/** A chain of references longer than this is taken for a loop. */
const longestChain = 32

/** Why a value is no OpenAPI document that can be imported; undefined: it can. One lower-case sentence. */
export function versionProblem(document: unknown): string | undefined {
  if (!isMap(document)) return 'expected an OpenAPI document, which is a map'
  if (memberOf(document, 'swagger') !== undefined)
    return `Swagger ${String(document.swagger)} is not read: convert the document to OpenAPI 3 first`
  const version = document.openapi
  if (typeof version !== 'string')
    return 'expected an OpenAPI document: its key openapi names the version'
  return /^3\.[012](\.|$)/.test(version)
    ? undefined
    : `expected OpenAPI 3.0, 3.1 or 3.2, got ${JSON.stringify(version.slice(0, 20))}`
}

/** A document of which {@link versionProblem} knows none. */
export class Source {
  readonly document: JsonMap
  /** Whether schemas are those of OpenAPI 3.0, which has a dialect of its own. */
  readonly is30: boolean
  readonly losses = new Losses()

  constructor(document: JsonMap) {
    this.document = document
    this.is30 = String(document.openapi).startsWith('3.0')
  }

  /** A map of the document, its `$ref` followed; undefined, and a loss, where there is none. */
  follow(value: unknown, at: string): Place | undefined {
    let found = value
    let place = at
    for (let steps = 0; steps < longestChain; steps++) {
      if (!isMap(found)) break
      const { $ref } = found
      if (typeof $ref !== 'string') return { map: found, at: place }
      const target = targetOf($ref)
      found = target === undefined ? undefined : this.valueAt(target)
      if (target === undefined || found === undefined) {
        this.losses.tell(pointer(place, '$ref'), unresolved($ref))
        return undefined
      }
      place = target
    }
    const problem = isMap(found) ? 'the references form a loop' : 'expected a map'
    this.losses.tell(place, problem)
    return undefined
  }

  /** The maps under a key of a place, references followed; none where the key is absent. */
  members(parent: Place, key: string): (Place & { readonly name: string })[] {
    const value = memberOf(parent.map, key)
    if (value === undefined) return []
    const at = pointer(parent.at, key)
    if (typeof value !== 'object' || value === null) {
      this.losses.tell(at, 'expected a map or a list')
      return []
    }
    return Object.entries(value).flatMap(([name, member]) => {
      if (!Array.isArray(value) && name.startsWith('x-') && !isMap(member)) return []
      const place = this.follow(member, pointer(at, name))
      return place ? [{ ...place, name }] : []
    })
  }

  /** The value at a JSON Pointer; undefined: there is none. */
  valueAt(path: string): unknown {
    let value: unknown = this.document
    for (const key of keysOfPointer(path)) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
        return undefined
      value = (value as JsonMap)[key]
    }
    return value
  }
}

/** The JSON Pointer of a reference within the document; undefined: it leads elsewhere. */
export function targetOf($ref: string): string | undefined {
  if (!$ref.startsWith('#/') && $ref !== '#') return undefined
  try {
    return decodeURIComponent($ref.slice(1))
  } catch {
    return $ref.slice(1)
  }
}

/** Why a reference cannot be followed. */
export const unresolved = ($ref: string): string =>
  targetOf($ref) === undefined
    ? 'only references within the document, and to files below its folder, are followed'
    : 'the reference leads nowhere'
