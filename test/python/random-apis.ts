/** Random documents and requests whose actions a recorder can see: calls, publications and forwards of what the request holds. */
import fc from 'fast-check'

/** A request as it is sent and explained. */
export interface RandomRequest {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  readonly path: string
  readonly query_string: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** One document with one request. */
export interface RandomCase {
  readonly paths: Readonly<Record<string, unknown>>
  readonly request: RandomRequest
}

/** Short: longer ones could be taken for secrets that occur by chance. */
const word = fc.constantFrom('a', 'tea', 'x1', '7', '42', 'ü', 'a b')
const key = fc.constantFrom('a', 'b', 'size')

const value = fc.constantFrom(
  ...[
    '{{request.bindings.id}}',
    '{{request.bindings.id |> integer}}',
    '{{request.query_params.a}}',
  ],
  ...['{{request.query_params |> get(b, 3)}}', '{{request.body}}', '{{request.body |> get(a)}}'],
  ...['{{request.headers.x-word}}', '<{{request.bindings.id}}>', '{{request.method |> upper}}'],
  ...['{{variables.word}}', 'fixed', '{{request.query_lists}}', '{{request.path |> split(/)}}'],
)
const args = fc.array(value, { maxLength: 3 })
const kwargs = fc.dictionary(key, value, { maxKeys: 2 })

const procedure = fc.constantFrom(
  ...['com.example.truth.echo', 'com.example.truth.fail', 'com.example.other.nobody'],
)
const topic = fc.constantFrom('com.example.truth.topic', 'com.example.truth.news')

/** `ORIGIN` stands for the address of the upstream. */
const action = fc.oneof(
  fc.record({ type: fc.constant('wamp_call'), procedure, args, kwargs }),
  fc.record({ type: fc.constant('wamp_publish'), topic, args, kwargs }),
  fc.record({ type: fc.constant('static'), body: value }),
  fc.record({
    type: fc.constant('forward'),
    host: fc.constant('ORIGIN'),
    path: fc.constantFrom('/things', '/absent', '/{{request.bindings.id}}'),
    headers: fc.constant({ 'x-word': '{{variables.word}}' }),
  }),
)

/** Not the whole result: it has the id of the call. */
const body = fc.constantFrom(
  ...['{{action.result.args}}', '{{action.result.args |> head}}'],
  ...['{{action.result.kwargs}}', 'done', '{{request.bindings}}'],
)
const errorBody = fc.constantFrom('{{action.error.kwargs}}', '{{action.error.error_uri}}', 'failed')

/** Each answer names its operation. */
const response = (name: string) =>
  fc.record({
    on_result: fc.record({ body, headers: fc.constant({ 'x-operation': name }) }),
    on_error: fc.record({ body: errorBody, headers: fc.constant({ 'x-operation': name }) }),
  })

const methods = ['get', 'post', 'put', 'delete'] as const
const patterns = ['/o/:id', '/o/new', '/[v1]/p/:id', '/o/:id/[...]', '/p'] as const

const path = (pattern: string) =>
  fc
    .subarray([...methods], { minLength: 1 })
    .chain((some) =>
      fc.record(
        Object.fromEntries(
          some.map((method) => [
            method,
            fc.record({ action, response: response(`${method} ${pattern}`) }),
          ]),
        ),
      ),
    )

const paths = fc
  .subarray([...patterns], { minLength: 1 })
  .chain((some) => fc.record(Object.fromEntries(some.map((each) => [each, path(each)]))))

const target = fc
  .tuple(fc.constantFrom('/o/', '/v1/p/', '/p/', '/o/new', '/p', '/O/', '/o/x/'), word)
  .map(([start, end]) => (start.endsWith('/') ? start + encodeURIComponent(end) : start))

type Line = Pick<RandomRequest, 'method' | 'path'>

/** Whatever the document has. */
const anyLine: fc.Arbitrary<Line> = fc.record({ method: fc.constantFrom(...methods), path: target })

/** An operation of the document. */
const lineOf = (document: RandomCase['paths']): fc.Arbitrary<Line> => {
  const operations = Object.entries(document).flatMap(([pattern, operations]) =>
    Object.keys(operations as object).map((method) => [pattern, method] as const),
  )
  return fc.tuple(fc.constantFrom(...operations), word).map(([[pattern, method], text]) => ({
    method: method as Line['method'],
    path: pattern
      .replace('[v1]', 'v1')
      .replace('[...]', 'x/y')
      .replace(':id', encodeURIComponent(text)),
  }))
}

const withLine = (line: fc.Arbitrary<Line>): fc.Arbitrary<RandomRequest> =>
  fc
    .record({
      line,
      query_string: fc
        .array(fc.tuple(key, word), { maxLength: 2 })
        .map((pairs) => new URLSearchParams(pairs).toString()),
      headers: word.map((text) => ({ 'x-word': encodeURIComponent(text) })),
      body: fc.option(
        fc.dictionary(key, fc.oneof(word, fc.integer(), fc.array(word, { maxLength: 2 }))),
      ),
    })
    .map(({ line: { method, path: asked }, body: given, ...rest }) => {
      const hasBody = given !== null && method !== 'get' && method !== 'delete'
      return { method, path: asked, ...rest, ...(hasBody && { body: given }) }
    })

/** Documents and requests, most of them to an operation of the document. */
export const randomCase: fc.Arbitrary<RandomCase> = paths.chain((document) =>
  fc.record({
    paths: fc.constant(document),
    request: withLine(
      fc.oneof({ weight: 4, arbitrary: lineOf(document) }, { weight: 1, arbitrary: anyLine }),
    ),
  }),
)
