/** Which procedures of documents call one another in a circle. */
import { expect } from 'chai'
import { parseHostPattern } from '#component/syntax/host-pattern.ts'
import { cyclesOf } from '#component/wiring/procedures/call-cycles.ts'

type Row = readonly [
  uri: string,
  calls: string,
  more?: { api?: string; match?: string; realm?: string },
]

/** The procedures of a document `a`, and of others. */
const entriesOf = (rows: readonly Row[]) =>
  rows.map(([uri, calls, { api = 'a', match = 'exact', realm = 'r' } = {}]) => ({
    ...{ api, realm_uri: realm, host: parseHostPattern('_'), pattern: uri, routes: {} },
    path: `/procedures/${uri}`,
    procedure: { uri, match, invoke: 'roundrobin', ...(calls && { calls: calls.split(' ') }) },
  }))

const told = (rows: readonly Row[]) =>
  cyclesOf(entriesOf(rows) as never, 'a').map(({ path, message }) => [
    path.replace(/^\/procedures\/(.*)\/action$/, '$1'),
    message.replace(/^calls in a circle: (.*); such a call ends in .*$/, '$1'),
  ])

describe('procedures that call in a circle', () => {
  const other = { api: 'b' }
  for (const [what, rows, expected] of [
    [
      'none, where nothing calls',
      [
        ['x', ''],
        ['y', ''],
      ],
      [],
    ],
    [
      'none of a chain',
      [
        ['x', 'y'],
        ['y', 'z'],
        ['z', ''],
      ],
      [],
    ],
    [
      'none of calls that meet',
      [
        ['x', 'y z'],
        ['y', 'w'],
        ['z', 'w'],
        ['w', ''],
      ],
      [],
    ],
    [
      'two of one document',
      [
        ['x', 'y'],
        ['y', 'x'],
      ],
      [
        ['x', 'x → y → x'],
        ['y', 'y → x → y'],
      ],
    ],
    [
      'one over another document',
      [
        ['x', 'y'],
        ['y', 'x', other],
      ],
      [['x', 'x → y (b) → x']],
    ],
    [
      'one over three',
      [
        ['x', 'y'],
        ['y', 'z', other],
        ['z', 'x', { api: 'c' }],
      ],
      [['x', 'x → y (b) → z (c) → x']],
    ],
    [
      'the second of several calls',
      [
        ['x', 'w y'],
        ['w', ''],
        ['y', 'x', other],
      ],
      [['x', 'x → y (b) → x']],
    ],
    [
      'the shortest',
      [
        ['x', 'w y'],
        ['w', 'v', other],
        ['v', 'x', other],
        ['y', 'x', other],
      ],
      [['x', 'x → y (b) → x']],
    ],
    [
      'none of other documents',
      [
        ['x', ''],
        ['y', 'z', other],
        ['z', 'y', other],
      ],
      [],
    ],
    [
      'none that a procedure runs into',
      [
        ['x', 'y'],
        ['y', 'z', other],
        ['z', 'y', other],
      ],
      [],
    ],
    [
      'one over a pattern',
      [
        ['x', 'p.y'],
        ['p.', 'x', { ...other, match: 'prefix' }],
      ],
      [['x', 'x → p. (b) → x']],
    ],
    [
      'none over a pattern before which the URI itself is registered',
      [
        ['x', 'p.y'],
        ['p.y', '', other],
        ['p.', 'x', { ...other, match: 'prefix' }],
      ],
      [],
    ],
    [
      'none over another realm',
      [
        ['x', 'y'],
        ['y', 'x', { ...other, realm: 's' }],
      ],
      [],
    ],
    ['none over what no document registers', [['x', 'y']], []],
  ] as const satisfies readonly (readonly [
    string,
    readonly Row[],
    readonly (readonly string[])[],
  ])[]) {
    it(`are ${what}`, () => {
      expect(told(rows)).to.deep.equal(expected)
    })
  }

  it('are found among 2,000 in a row', () => {
    const rows = Array.from(
      { length: 2_000 },
      (_, at): Row => [`p${at}`, `p${(at + 1) % 2_000}`, at === 0 ? {} : other],
    )
    expect(told(rows)).to.have.length(1)
  })
})
