/** Maps of data, wherever they come from: a document, a configuration, a message, a body or an expression. */

/** A map of data; only its own keys count. */
export type JsonMap = Readonly<Record<string, unknown>>

/** Whether the value is a map. Lists, bytes, dates and other instances of classes are not. */
export function isMap(value: unknown): value is JsonMap {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The value if it is a map, else an empty one. */
export const mapOrEmpty = (value: unknown): JsonMap => (isMap(value) ? value : {})

/** The member of a map under its own key; undefined where the key is absent or the value is not a map. */
export const memberOf = (value: unknown, key: string): unknown =>
  isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** Sets a key as an own key, whatever its name. */
export function setOwn(map: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') map[key] = value
  else
    Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true })
}

/** For `JSON.parse`: leaves out members that are null, at any depth. */
const unlessNull = (_key: string, value: unknown): unknown => (value === null ? undefined : value)

/**
 * Parses JSON of peers that write `null` where others write nothing: such members are absent.
 * @throws SyntaxError, RangeError for a text that is too deep
 */
export const parseWithoutNulls = (text: string): unknown => JSON.parse(text, unlessNull)

/** The same of a map that was parsed already, such as the claims of a token that a library has verified. */
export const withoutNulls = <T extends object>(map: T): T =>
  parseWithoutNulls(JSON.stringify(map)) as T
