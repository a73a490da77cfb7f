/** Which router of a list the sessions of a process use. */
import { expect } from 'chai'
import { Routers, type Stay } from '#component/wamp/routers/routers.ts'

/** What a session does, by its letter: joins (`join`), fails or is lost because the router is (`lost`), ends for another reason (`ended`). */
type Step = readonly [session: string, what: 'ended' | 'enters' | 'joins' | 'lost']

/** Plays the steps. @returns the router in use at the end, and the sessions that were told of a move */
function play(urls: readonly [string, ...string[]], steps: readonly Step[]) {
  const routers = new Routers(urls)
  const stays = new Map<string, Stay>()
  const moved: string[] = []
  for (const [session, what] of steps) {
    const stay = stays.get(session)
    if (what === 'enters')
      stays.set(
        session,
        routers.enter({
          onMove: () => moved.push(session),
          onReturn: async () => undefined,
          isServing: () => false,
        }),
      )
    else if (what === 'joins') stay?.joined()
    else stay?.ended(what === 'lost')
  }
  return [routers.url, moved.join()]
}

const rows: readonly (readonly [
  title: string,
  steps: readonly Step[],
  url: string,
  moved: string,
])[] = [
  ['the first at the start', [['s', 'enters']], 'a', ''],
  [
    'the next one after an attempt that got no answer',
    [
      ['s', 'enters'],
      ['s', 'lost'],
    ],
    'b',
    '',
  ],
  [
    'the same one after a refusal',
    [
      ['s', 'enters'],
      ['s', 'ended'],
    ],
    'a',
    '',
  ],
  [
    'the next one after the loss of the only session',
    [
      ['s', 'enters'],
      ['s', 'joins'],
      ['s', 'lost'],
    ],
    'b',
    '',
  ],
  [
    'the same one while another session is on it',
    [
      ['s', 'enters'],
      ['s', 'joins'],
      ['t', 'enters'],
      ['t', 'joins'],
      ['s', 'lost'],
    ],
    'a',
    '',
  ],
  [
    'the same one when a user cannot be joined beside a session on it',
    [
      ['s', 'enters'],
      ['s', 'joins'],
      ['user', 'enters'],
      ['user', 'lost'],
    ],
    'a',
    '',
  ],
  [
    'the next one once the last session is lost, and tells those that are joining',
    [
      ['s', 'enters'],
      ['s', 'joins'],
      ['t', 'enters'],
      ['t', 'joins'],
      ['user', 'enters'],
      ['s', 'lost'],
      ['t', 'lost'],
    ],
    'b',
    'user',
  ],
  [
    'one further only, however many sessions fail at the same one',
    [
      ['s', 'enters'],
      ['t', 'enters'],
      ['u', 'enters'],
      ['s', 'lost'],
      ['t', 'lost'],
      ['u', 'lost'],
    ],
    'b',
    't,u',
  ],
  [
    'the first again after the last',
    [
      ['s', 'enters'],
      ['s', 'lost'],
      ['s', 'enters'],
      ['s', 'lost'],
      ['s', 'enters'],
      ['s', 'lost'],
    ],
    'a',
    '',
  ],
  [
    'the same one after a session left it',
    [
      ['s', 'enters'],
      ['s', 'joins'],
      ['s', 'ended'],
    ],
    'a',
    '',
  ],
]

describe('the routers of a list', () => {
  for (const [title, steps, url, moved] of rows) {
    it(`are used in order: ${title}`, () => {
      expect(play(['a', 'b', 'c'], steps)).to.deep.equal([url, moved])
    })
  }

  it('are one router where the list has one', () => {
    const steps: readonly Step[] = [
      ['s', 'enters'],
      ['t', 'enters'],
      ['s', 'lost'],
    ]
    expect(play(['a'], steps)).to.deep.equal(['a', ''])
  })
})
