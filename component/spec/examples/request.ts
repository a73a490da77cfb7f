/** The rule of the request of an example. */
import { isIP } from 'node:net'
import {
  anything,
  described,
  listOf,
  mapOf,
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
        'The body: a value, or a text of the type that content-type names.',
      ),
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
