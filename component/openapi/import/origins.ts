/** Where the parts of an imported document come from, so that its issues are told at places that the author knows. */
import { keysOfPointer, pointer } from '#component/codec/json.ts'

const origins = new WeakMap<object, string>()

/** The value, which stands for what is at a place of the OpenAPI document. @param at JSON Pointer there */
export function mapped<Value extends object>(value: Value, at: string): Value {
  origins.set(value, at)
  return value
}

/** The place of the OpenAPI document that a place of the imported document comes from; the nearest one that is known. */
export function originOf(document: unknown, path: string): string {
  let origin = ''
  let isKnown = false
  let value = document
  for (const key of keysOfPointer(path)) {
    if (typeof value !== 'object' || value === null) break
    value = (value as Readonly<Record<string, unknown>>)[key]
    const isLeaf = typeof value !== 'object' || value === null
    const known = isLeaf ? undefined : origins.get(value as object)
    // a scalar has the key of the OpenAPI document where the map around it comes from there
    if (known !== undefined) origin = known
    else if (isLeaf && isKnown) origin = pointer(origin, key)
    isKnown = known !== undefined
  }
  return origin
}
