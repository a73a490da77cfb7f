/** Arguments that try to become something else than data, from a seed: the JSON text of an object, as a client sends it. */
import { randomFrom } from '#test/fuzz/random.ts'

/** Values by what they try. */
const kinds = {
  traversal: [
    ...[
      '../../admin',
      '..\\..\\admin',
      '%2e%2e%2fadmin',
      '/v1/list',
      '//127.0.0.1:1/x',
      'a/b/c',
      '.',
      '..',
    ],
    ...[
      '7?admin=1',
      '7#x',
      '7;x=1',
      '7%00',
      '7\u0000',
      'http://169.254.169.254/',
      ':id',
      '{{security.authid}}',
    ],
  ],
  lines: [
    ...[
      '7\r\nauthorization: Bearer x',
      '7\nx: y',
      '\r\n\r\nGET /admin HTTP/1.1',
      '7\u2028x',
      '7\u0085x',
    ],
    ...['data: {"jsonrpc":"2.0"}\n\n', 'event: end\n'],
  ],
  texts: [
    '\ud800',
    '\udfff7',
    '\u0000',
    '\u202e7',
    '\ufeff',
    'é'.repeat(300),
    'x'.repeat(10_000),
    ' ',
    '',
  ],
  types: [null, true, 7, -1.5, 1e21, [], {}, ['../..'], { id: '7' }, [[[]]]],
} as const

/** Names of arguments that mean something elsewhere. */
const names = [
  ...[
    'authorization',
    'Authorization',
    'host',
    'Host',
    'cookie',
    'content-type',
    'content-length',
    'accept',
  ],
  ...[
    'transfer-encoding',
    'x-forwarded-for',
    'mcp-name',
    'mcp-session-id',
    'headers',
    'query_params',
    'body',
  ],
  ...[
    'bindings',
    'path',
    'method',
    'security',
    'arguments',
    '_meta',
    'name',
    'a\r\nb',
    '../..',
    '',
    'id\u0000',
  ],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__'],
]

/** The JSON text of a value within so many lists or maps. */
function nested(depth: number, isList: boolean): string {
  const [open, close] = isList ? ['[', ']'] : ['{"a":', '}']
  return `${open.repeat(depth)}1${close.repeat(depth)}`
}

/** The JSON texts of members; a name may come twice. */
export function hostileArguments(seed: number): string {
  const random = randomFrom(seed)
  const below = (count: number) => Math.floor(random() * count)
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T
  const valueText = (): string => {
    const chance = random()
    if (chance < 0.05) return nested(pick([10, 60, 100, 1_000, 50_000]), random() < 0.5)
    if (chance < 0.08) return JSON.stringify('x'.repeat(pick([100_000, 1_100_000, 3_000_000])))
    if (chance < 0.11) return `[${'1,'.repeat(pick([1_000, 200_000]))}1]`
    if (chance < 0.16) return pick(['1e400', '-0', '9007199254740993', `1${'0'.repeat(400)}`])
    return JSON.stringify(pick<unknown>(pick(Object.values(kinds))))
  }
  // mostly the binding alone is hostile, or is a plain one beside others that are
  const members = [`"id":${random() < 0.6 ? valueText() : '"7"'}`]
  for (let more = below(4); more > 0; more--) {
    members.splice(below(members.length + 1), 0, `${JSON.stringify(pick(names))}:${valueText()}`)
  }
  return `{${members.join(',')}}`
}
