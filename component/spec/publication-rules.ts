/** The rules of what is written for people and tools: `openapi` of a version, and the keys of an operation that change no answer. */

import { pointer } from '#component/codec/json.ts'
import { methods } from '#component/request.ts'
import { headerNameProblem } from '#component/syntax/http-field.ts'
import { isMap } from '#component/syntax/values.ts'
import type { Path } from './model.ts'
import { describe, type Report } from './report.ts'
import { schema } from './request-rules.ts'
import {
  boolean,
  described,
  listOf,
  mapOf,
  object,
  type Rule,
  rule,
  string,
  text,
} from './rules.ts'
import { security } from './security-rules.ts'
import { fixedPathProblem } from './syntax.ts'

/** A path without bindings, below base_path. */
export const fixedPath = text(
  'a fixed path',
  (path) => fixedPathProblem(path) ?? (path.endsWith('/') ? 'it ends in "/"' : undefined),
)

/** OpenAPI 3.1 asks for URLs; one that is no address would end up in every client that is generated. */
const url = text('an absolute URL of http or https', (address) =>
  /^https?:\/\/[^/]/i.test(address) && URL.canParse(address) ? undefined : 'it is none',
)

const openapiKeys = object('a map of what is published', {
  keys: {
    path: described(
      fixedPath,
      'Where the OpenAPI description is served, below base_path: at <path>.json, at <path>.yaml, and at <path> in the form that Accept asks for.',
    ),
    docs_path: described(fixedPath, 'Where the docs page is served, below base_path.'),
    // the schema names that of security, which is long
    security: rule(
      {
        allOf: [security.schema],
        description: 'Who may read the description and the docs page.',
        default: {},
      },
      security,
    ),
    servers: described(
      listOf(url, 'a list of absolute URLs'),
      'The URLs of the version. Without the key: gateway.public_base_url and base_path.',
    ),
    contact: object('a contact: {name, url, email}', {
      keys: { name: string, url, email: string },
    }),
    license: object('a license: {name, identifier, url}', {
      keys: { name: string, identifier: string, url },
      required: { name: 'the name of the license' },
    }),
    terms_of_service: url,
    tags: listOf(
      object('a tag: {name, description}', {
        keys: { name: string, description: string },
        required: { name: 'the name of the tag' },
      }),
      'a list of tags',
    ),
  },
})

/** `openapi` of a version. */
export const openapi: Rule = described(
  rule(openapiKeys.schema, (value, path, report) => {
    openapiKeys(value, path, report)
    if (!isMap(value) || !Object.hasOwn(value, 'docs_path') || Object.hasOwn(value, 'path')) return
    report.missing(path, 'path', 'the path of the description that the docs page shows')
  }),
  'What is published of the version, and where.',
)

const headerDescription = object('a header: {description, schema}', {
  keys: { description: string, schema },
})

const responseHeaders = mapOf(headerDescription, 'a map of header names to maps', headerNameProblem)

const responseDescription = object('a response: {description, schema, headers}', {
  keys: { description: string, schema, headers: responseHeaders },
})

const statusPattern = /^(?:default|[2-5](?:[0-9][0-9]|XX))$/

const responses = mapOf(
  responseDescription,
  'a map of statuses to responses',
  (status) =>
    statusPattern.test(status)
      ? undefined
      : `expected a status such as "404", "4XX" or "default", got ${describe(status)}`,
  { pattern: statusPattern.source },
)

/** The keys of an operation that describe it; none is an expression. */
export const publication = {
  operation_id: described(
    text('an operation id of letters, digits, "_", "." and "-"', (id) =>
      /^[A-Za-z0-9_.-]{1,200}$/.test(id)
        ? undefined
        : 'it is empty, too long or holds another character',
    ),
    'The name of the operation in OpenAPI, once in a version. Without the key: the method and the segments of the path.',
  ),
  tags: described(listOf(string, 'a list of tags', 0), 'The groups that the docs page shows.'),
  hidden: described(boolean, 'Whether the operation is left out of what is published.', {
    default: false,
  }),
  responses: described(responses, 'What the gateway cannot know of the responses, by status.'),
}

/** Reports an `operation_id` that another operation of the version has. */
export function checkOperationIds(paths: readonly Path[], report: Report): void {
  const known = new Map<string, string>()
  for (const { path, document } of paths) {
    for (const method of methods) {
      const operation = document[method]
      const id = isMap(operation) ? operation.operation_id : undefined
      if (typeof id !== 'string') continue
      const at = pointer(path, method, 'operation_id')
      const other = known.get(id)
      if (other === undefined) known.set(id, at)
      else report.issue(at, `the operation id ${describe(id)} is already used by ${other}`)
    }
  }
}
