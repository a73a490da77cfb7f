/** Random requests as bytes: paths, queries, headers, forms and JSON, well-formed or not. */
import { gzipSync } from 'node:zlib'

type Random = () => number

/** The types of bodies. */
export const json = 'application/json'
export const form = 'application/x-www-form-urlencoded'

/** By name: the schema, and whether a text fits it, which is written anew here. */
export const members: Readonly<
  Record<string, readonly [schema: object, fits: (text: string) => boolean]>
> = {
  n: [{ type: 'integer', maximum: 10 }, (text) => /^-?\d+$/.test(text) && Number(text) <= 10],
  s: [{ enum: ['user', 'a b', 'é'] }, (text) => ['user', 'a b', 'é'].includes(text)],
  f: [{ type: 'number', minimum: 0 }, (text) => Number(text) >= 0],
  b: [{ type: 'boolean' }, (text) => text === 'true' || text === 'false'],
  l: [{ type: 'array', items: { maxLength: 3 } }, (text) => [...text].length <= 3],
  i: [{ type: 'array', items: { type: 'integer' } }, (text) => /^-?\d+$/.test(text)],
}
/** The names that take all their values. */
export const lists: ReadonlySet<string> = new Set(['l', 'i'])

/** The paths, and how the path and the query of their requests look to the upstream. */
export const routes: readonly Route[] = [
  { path: '/as-is/:id', sent: '/v1/as-is/', query: '' },
  { path: '/named/:id', sent: '/up/', query: '', path_: '/up/{{request.bindings.id}}' },
  {
    path: '/marked/:id',
    sent: '/v1/marked/',
    query: 'z=1&',
    query_: '?z=1&{{request.query_string}}',
  },
  { path: '/own/:id', sent: '/v1/own/', query: '', query_: '{{request.query_string}}' },
  { path: '/list/:id', sent: '/v1/list/', query: '', isTwice: true },
  { path: '/stripped/:id', sent: '/', query: '', strip: '/v1/stripped' },
]

/** One path. */
export interface Route {
  readonly path: string
  readonly sent: string
  /** What stands before the client's query. */
  readonly query: string
  readonly path_?: string
  readonly query_?: string
  readonly strip?: string
  readonly isTwice?: boolean
}

const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T

const some = (random: Random, most: number, make: () => string): string =>
  Array.from({ length: Math.floor(random() * (most + 1)) }, make).join('')

const names = [
  'n',
  's',
  'f',
  'b',
  'l',
  'i',
  'l',
  'i',
  'x',
  'y',
  '?n',
  '?x',
  '%6e',
  '%6C',
  '',
  'N',
  'l[]',
  'n.',
  '+s',
  'constructor',
  '%E9',
]
const good: Readonly<Record<string, readonly string[]>> = {
  n: ['1', '0', '-5', '10'],
  s: ['user', 'a+b', 'a%20b', '%C3%A9'],
  f: ['1.50', '0', '1e2', '7'],
  b: ['true', 'false'],
  l: ['a', '', '%26', 'a+b', '?'],
  i: ['1', '2', '-3', '99999999999999999'],
}
const values =
  '50 01 -0 admin user a %20 + %2B %3D %26 = ? / %2F %25 %2525 %00 % %c3%a9 %ff [ ] ; : @ %0d%0a %3F \' { | " # é'.split(
    ' ',
  )
const rare = 22

function randomField(random: Random, isQuery: boolean): string {
  const name = pick(random, names)
  const known = good[name]
  const isBare = random() < 0.05
  if (isBare) return name
  const usual = random() < 0.8 ? values.slice(0, isQuery ? rare : values.length - 5) : values
  const value =
    known && random() < 0.85 ? pick(random, known) : some(random, 2, () => pick(random, usual))
  return `${name}=${value}`
}

const randomFields = (random: Random, isQuery: boolean): string =>
  some(
    random,
    4,
    () =>
      `${randomField(random, isQuery)}${random() < 0.9 ? '&' : pick(random, ['&&', ';', '&?', '?', ''])}`,
  ).replace(random() < 0.8 ? /&$/ : /^$/, '')

const segments =
  'a b 1 50 %20 %41 %7e ~ + %2B ;x , = %3F %23 %25 %252e . %2e %c3%a9 ( %5B @ : %2f \\ ? [ %0a'.split(
    ' ',
  )

const spaces = ['', '', '', ' ', '\n', '\t', '\r\n ']
const numbers = [
  '1',
  '0',
  '-0',
  '1.0',
  '1.10',
  '1E0',
  '1e2',
  '10',
  '-7',
  '123456789012345678.25',
  '18446744073709551615',
  '9007199254740993',
  '1e-400',
  '01',
  '1.',
  '1e999',
]
const strings = [
  '"user"',
  '"a b"',
  '"\\u0061 b"',
  '"é"',
  '"\\u00e9"',
  '"\\/"',
  '""',
  '"\\u0000AAEC"',
  '"\\ud800"',
  '"\\n"',
  '"%26"',
  "'a'",
]

function randomJson(random: Random, depth: number): string {
  const space = (): string => pick(random, spaces)
  const kind = random() * (depth > 0 ? 6 : 4)
  if (kind < 1.5) return pick(random, random() < 0.9 ? numbers.slice(0, 10) : numbers)
  if (kind < 3) return pick(random, random() < 0.9 ? strings.slice(0, 8) : strings)
  if (kind < 4) return pick(random, ['true', 'false', 'null'])
  const parts = Array.from({ length: Math.floor(random() * 3) }, () =>
    randomJson(random, depth - 1),
  )
  return `[${space()}${parts.join(`${space()},${space()}`)}]`
}

const jsonNames = ['n', 's', 'f', 'b', 'l', 'i', 'x', 'y', '\\u006e', '', '10', '2']
const jsonGood: Readonly<Record<string, readonly string[]>> = {
  n: ['1', '1.0', '1E1', '-3'],
  s: strings.slice(0, 5),
  f: ['1.10', '0', '123456789012345678.25'],
  b: ['true', 'false'],
  l: ['[]', '["a" , "\\u0062"]', '[ 1.0 ]'],
  i: ['[1,2]', '[ 1.0 ]'],
}

function randomObject(random: Random): string {
  const space = (): string => pick(random, spaces)
  const parts = Array.from({ length: Math.floor(random() * 5) }, () => {
    const name = pick(random, jsonNames)
    const known = jsonGood[name]
    const value = known && random() < 0.85 ? pick(random, known) : randomJson(random, 2)
    return `"${name}"${space()}:${space()}${value}`
  })
  const text = `${space()}{${space()}${parts.join(`${space()},${space()}`)}${space()}}${space()}`
  return random() < 0.97 ? text : text.slice(0, Math.floor(random() * text.length))
}

/** One request. */
export interface Sent {
  readonly route: Route
  readonly id: string
  readonly query: string | undefined
  /** Before a content coding; undefined: it has none. */
  readonly body: Buffer | undefined
  readonly type: string
  readonly bytes: Buffer
}

/** @param number which the upstream finds in `x-number` */
export function randomRequest(random: Random, number: number): Sent {
  const route = pick(random, routes)
  const usual = random() < 0.85 ? segments.slice(0, 8) : segments
  const id = `${pick(random, ['a', '1', '%61', 'b'])}${some(random, 2, () => pick(random, usual))}`
  const query =
    random() < 0.15
      ? undefined
      : `${pick(random, ['', '', '', '', '?', '??', '&'])}${randomFields(random, true)}`
  const hasBody = random() < 0.5
  const isForm = random() < 0.5
  const type = `${isForm ? form : json}${pick(random, ['', '', '', ';charset=utf-8', '; charset="UTF-8"', ';charset=latin1'])}`
  const isOther = random() < 0.03
  const text = isForm !== isOther ? randomFields(random, false) : randomObject(random)
  const body = hasBody ? Buffer.from(text) : undefined
  const isCoded = hasBody && random() < 0.1
  const content = isCoded ? gzipSync(body as Buffer) : body
  const isChunked = hasBody && random() < 0.2
  const header = (): string =>
    `${pick(random, ['x-h', 'X-H', 'x-H'])}:${some(random, 3, () => pick(random, ['a', 'b', ' ', '\t', ',', '"', ';', 'é', '\u00ff', '%20', '=']))}\r\n`
  const head = [
    `${hasBody || random() < 0.1 ? 'POST' : 'GET'} /v1${route.path.replace(':id', id)}${query === undefined ? '' : `?${query}`} HTTP/1.1`,
    'host: 127.0.0.1',
    `x-number: ${number}`,
    ...(hasBody ? [`content-type: ${type}`] : []),
    ...(isCoded ? ['content-encoding: gzip'] : []),
    ...(isChunked
      ? ['transfer-encoding: chunked']
      : content
        ? [`content-length: ${content.length}`]
        : []),
    ...(random() < 0.03 ? ['connection: keep-alive, x-h'] : []),
    `${some(random, 2, header)}\r\n`,
  ]
  const chunked = (whole: Buffer): Buffer[] => {
    const half = Math.floor(random() * whole.length)
    const chunks = [whole.subarray(0, half), whole.subarray(half)].filter(
      ({ length }) => length > 0,
    )
    return [
      ...chunks.flatMap((chunk) => [
        Buffer.from(`${chunk.length.toString(16)}\r\n`),
        chunk,
        Buffer.from('\r\n'),
      ]),
      Buffer.from('0\r\n\r\n'),
    ]
  }
  const parts = content === undefined ? [] : isChunked ? chunked(content) : [content]
  return {
    route,
    id,
    query,
    body,
    type,
    bytes: Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), ...parts]),
  }
}
