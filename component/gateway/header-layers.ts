/** Response headers in layers: constants laid together at load time, computed ones laid over them per request. */
import { membersOf, type Node } from '#component/expression/compile.ts'
import type { Context } from '#component/expression/nodes.ts'
import { fieldValueProblem, headerNameProblem } from '#component/syntax/http-field.ts'
import { encodeReference } from '#component/syntax/percent-encoding.ts'
import { isMap } from '#component/syntax/values.ts'
import { unfit } from './failure.ts'

/** Headers by lower-case name. */
export type Headers = Readonly<Record<string, string>>

/** A node that can be evaluated. */
export type Live = Exclude<Node, { readonly kind: 'broken' }>

/** One `headers` map of the document. */
export interface HeaderLayer {
  readonly fixed: Headers
  readonly computed: readonly (readonly [name: string, node: Live])[]
  /** The whole map, where even its names depend on the request. */
  readonly whole: Live | undefined
}

/**
 * The text of a header's value; undefined for a value of another type.
 * @param name lower case
 */
function textOf(name: string, value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return name === 'location' ? encodeReference(value) : value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
      return undefined
  }
}

/**
 * Sets one header, or removes it where the text is empty. The error for a bad one does not show its value.
 * @param node gave the value, and perhaps the name
 * @param isNamed whether the document names the header: a computed name may hold data
 */
function setHeader(
  target: Record<string, string>,
  name: string,
  value: unknown,
  node: Live,
  isNamed: boolean,
): void {
  const key = name.toLowerCase()
  if (headerNameProblem(key) !== undefined) {
    throw unfit(node, 'response headers', 'well-formed names that do not belong to the connection')
  }
  const text = textOf(key, value)
  if (text === undefined || fieldValueProblem(text) !== undefined) {
    const wanted = 'a text of Latin-1 without control characters, a number or a boolean'
    throw unfit(node, isNamed ? `response header ${key}` : 'response headers', wanted)
  }
  if (text === '') delete target[key]
  else target[key] = text
}

/** A layer that sets nothing. */
export const empty: HeaderLayer = { fixed: {}, computed: [], whole: undefined }

/** Splits a declared map. Its names and constants have been checked: a document with a malformed one is not served. */
export function layerOf(node: Node | undefined): HeaderLayer {
  if (node === undefined || node.kind === 'broken') return empty
  const members = membersOf(node)
  if (members === undefined) {
    return node.kind === 'deferred' ? { fixed: {}, computed: [], whole: node } : empty
  }
  const fixed: Record<string, string> = {}
  const computed: [string, Live][] = []
  for (const [name, value] of members) {
    const key = name.toLowerCase()
    if (value.kind === 'constant') {
      const text = textOf(key, value.value)
      // an empty one removes that of a lower layer, whichever this is
      if (text === '') computed.push([key, value])
      else if (text !== undefined) fixed[key] = text
    } else if (value.kind !== 'broken') {
      computed.push([key, value])
    }
  }
  return { fixed, computed, whole: undefined }
}

/** Every name of two values of `Vary`, once; `*` stands for all names (RFC 9110 §12.5.5). */
export function joinVary(below: string, above: string): string {
  if (below === above) return above
  const names = new Map<string, string>()
  for (const part of `${below},${above}`.split(',')) {
    const name = part.trim()
    const key = name.toLowerCase()
    if (name !== '' && !names.has(key)) names.set(key, name)
  }
  return names.has('*') ? '*' : [...names.values()].join(', ')
}

function isEmpty(headers: Headers): boolean {
  for (const _name in headers) return false
  return true
}

/** Lays headers over others; `vary` adds up. */
export function layOver(below: Headers, above: Headers): Headers {
  // thousands of paths share one object
  if (isEmpty(above)) return below
  if (isEmpty(below)) return above
  const result = { ...below, ...above }
  if (below.vary !== undefined && above.vary !== undefined) {
    result.vary = joinVary(below.vary, above.vary)
  }
  return result
}

/** Lays together the leading layers that are constant. */
export function foldLayers(
  below: Headers,
  layers: readonly HeaderLayer[],
): { readonly headers: Headers; readonly layers: readonly HeaderLayer[] } {
  let headers = below
  let index = 0
  for (const layer of layers) {
    if (layer.computed.length > 0 || layer.whole) break
    headers = layOver(headers, layer.fixed)
    index += 1
  }
  return { headers, layers: layers.slice(index).filter((layer) => layer !== empty) }
}

/** Evaluates the layers into the headers of one answer. ExpressionError when a name or value cannot be sent. */
export function applyLayers(
  target: Record<string, string>,
  layers: readonly HeaderLayer[],
  context: Context,
): void {
  for (const { fixed, computed, whole } of layers) {
    Object.assign(target, fixed)
    for (const [name, node] of computed) setHeader(target, name, node.evaluate(context), node, true)
    if (whole === undefined) continue
    const map = whole.evaluate(context)
    if (!isMap(map)) {
      throw unfit(whole, 'response headers', 'a map of header names to values')
    }
    for (const [name, value] of Object.entries(map)) setHeader(target, name, value, whole, false)
  }
}
