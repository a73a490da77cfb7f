/** Describes a version of a document for a test, as readers of JSON see it. */
import { compileDocument } from '#component/compile/compile-document.ts'
import type { DescribedVersion } from '#component/gateway/api.ts'
import { describing } from '#component/openapi/document.ts'
import type { DescribeOptions } from '#component/openapi/options.ts'
import { runAtOnce } from '#component/yielding.ts'
import { documentOf } from '#test/unit/gateway/fake-exchange.ts'

/** A description, read loosely. */
export interface Seen {
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of each part
  readonly [key: string]: any
}

/** The active versions of a document. @throws Error with the issues of one that does not load */
export function versionsOf(document: object): readonly DescribedVersion[] {
  const { api, issues } = compileDocument(document, { callTimeout: 1000 })
  if (api === undefined) throw new Error(JSON.stringify(issues))
  return api.versions
}

const options: DescribeOptions = {
  baseUrl: 'https://api.example.com',
  serverBase: '',
  isInternal: false,
}

/** The description of the first active version. */
export function describeDocument(document: object, some: Partial<DescribeOptions> = {}): Seen {
  const [version] = versionsOf(document)
  if (version === undefined) throw new Error('the document has no active version')
  const description = runAtOnce(describing(version, { ...options, ...some }))
  return JSON.parse(JSON.stringify(description))
}

/** The operations of a description: `get /orders/{id}`. */
export const operationsOf = ({ paths }: Seen): string[] =>
  Object.entries(paths as Record<string, object>).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path}`),
  )

/** An operation of a document with one path, as it is described. */
export const operationOf = (
  operation: object,
  { pattern = '/x', method = 'get', more = {}, path = {} } = {},
): Seen => {
  const document = documentOf({ [pattern]: { ...path, [method]: operation } }, more)
  const [item] = Object.values(describeDocument(document).paths as Record<string, Seen>)
  return item?.[method]
}

/** The content of a body that is JSON or MessagePack. */
export function anyOf(schema: object) {
  return { 'application/json': { schema }, 'application/msgpack': { schema } }
}
