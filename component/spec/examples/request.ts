/** The rule of the request of an example. */
import { isIP } from 'node:net'
import {
  anything,
  described,
  listOf,
  mapOf,
  object,
  oneOf,
  type Rule,
  rule,
  string,
  text,
} from '#component/spec/rules.ts'
import { fieldValueProblem } from '#component/syntax/http-field.ts'
import {
  escapePath,
  escapeQuery,
  pathProblem,
  queryProblem,
} from '#component/syntax/request-target.ts'
import { either, exclusive, fields, scalar } from './values.ts'

const lists = listOf(scalar, 'a list of values')
const queryValue = either(lists, Array.isArray, scalar)

const texts = mapOf(scalar, 'a map of names to values')

const sentValue: Rule = rule(scalar.schema, (value, path, report) => {
  const problem = typeof value === 'string' ? fieldValueProblem(value) : undefined
  if (problem === undefined) scalar(value, path, report)
  else report.issue(path, `expected a header value: ${problem}`)
})

/** A request target in origin form (RFC 9112, 3.2.1). */
function targetProblem(target: string): string | undefined {
  const mark = target.indexOf('?')
  const query = mark < 0 ? '' : target.slice(mark + 1)
  const path = mark < 0 ? target : target.slice(0, mark)
  // whether the path keeps escaped slashes is known when the example is run
  return pathProblem(escapePath(path), true) ?? queryProblem(escapeQuery(query))
}

const inPath = 'path holds it: give only one of them'

const base64 = text('bytes in base64', (given) =>
  Buffer.from(given, 'base64').toString('base64') === given ? undefined : 'it is none',
)

const file = object('a file: {filename, content_type, base64}', {
  keys: {
    filename: described(string, 'The name that the client gives it.', { default: 'file' }),
    content_type: described(string, 'The type that the client gives it.', {
      default: 'application/octet-stream',
    }),
    base64: described(base64, 'Its content.', { default: '' }),
  },
})

const files = mapOf(file, 'a map of names to files')

/** The request that is sent. */
export const request = exclusive(
  'a request: a map',
  {
    keys: {
      bindings: described(texts, 'The values of the bindings. The path is made of them.'),
      query_params: described(
        mapOf(queryValue, 'a map of names to values'),
        'Query parameters: a list repeats the name, and true writes the name alone.',
      ),
      path: described(
        text('a path that begins with "/", and its query', targetProblem),
        'The path and its query as they are sent, in place of bindings and query_params.',
      ),
      headers: described(fields(sentValue), 'Header fields.'),
      body: described(
        anything,
        'The body: a value, or a text of the type that content-type names; {"base64": …}: bytes of that type.',
      ),
      files: described(files, 'Files of multipart/form-data, by their names; body has its fields.'),
      scheme: described(oneOf(['http', 'https']), 'The scheme.', { default: 'https' }),
      peer: described(
        text('an IP address', (given) => (isIP(given) === 0 ? 'it is none' : undefined)),
        'The address of the client. Default: one that `allow_from` admits, else 127.0.0.1.',
      ),
      host: described(
        string,
        'The host. Default: one that the host pattern of the document matches.',
      ),
    },
  },
  [
    ['path', 'bindings', inPath],
    ['path', 'query_params', inPath],
  ],
)
