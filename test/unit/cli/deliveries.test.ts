/** `deliveries`: what operators read of what waits, and what they do about it. */
import { expect } from 'chai'
import { deadEvent } from '#test/unit/delivery/memory-outbox.ts'
import { serveOnce } from './admin.setup.ts'
import { runCli } from './terminal.ts'

const delivery = {
  ...{ realm_uri: 'com.example', api_spec: 'com.example.hooks', name: 'orders' },
  ...{ topic: 'com.example.order.', match: 'prefix', state: 'stopped', reason: 'gone' },
  ...{ is_declared: true, pending: 3, dead: 1, oldest_at: 1_700_000_000_000, gaps: 1 },
  owner: 'node-1',
}

const at = '/api_specs/com.example.hooks/deliveries/orders'
const json = (value: unknown) => [200, JSON.stringify(value)] as const
const gap = {
  reason: 'router_lost',
  since: '2026-11-28T12:00:00.000Z',
  until: '2026-11-28T12:00:05.000Z',
  count: null,
}

const endpoint = {
  ...{ id: 'ep_1', user: 'ada', url: 'https://ada.example/hooks', state: 'stopped' },
  ...{ reason: 'gone', pending: 2, dead: 0, gaps: 0, is_permitted: true },
}

const answers = {
  '/deliveries': json({ deliveries: [delivery] }),
  [`${at}/events?state=dead&limit=1`]: json({
    delivery,
    events: [deadEvent],
    cursor: 'c1',
    gaps: [gap],
  }),
  [`${at}/events/msg_1`]: json(deadEvent),
  [`${at}/replay`]: json({ count: 7 }),
  [`${at}/pause`]: json({ ...delivery, state: 'paused', reason: null }),
  [`${at}/test`]: json({ error: 'the connection was refused' }),
  [`${at}/endpoints`]: json({ endpoints: [endpoint] }),
  [`${at}/events?limit=1&endpoint=ep_1`]: json({ delivery, events: [], cursor: null, gaps: [] }),
  [`${at}/events/msg_1?endpoint=ep_1`]: json(deadEvent),
  [`${at}/replay?endpoint=ep_1`]: json({ count: 2 }),
  [`${at}/resume?endpoint=ep_1`]: json({ ...delivery, state: 'active', reason: null }),
  [`${at}/endpoints/ep_1`]: [204, ''] as const,
}

const run = (...args: readonly string[]) =>
  serveOnce(answers, (url) => runCli(['deliveries', ...args, '--admin', url]))

const one = ['com.example.hooks', 'orders'] as const

const table = (
  state: string,
) => `DOCUMENT           DELIVERY  TOPIC               STATE${' '.repeat(state.length - 5)}  PENDING  DEAD  OLDEST                    GAPS  OWNER
com.example.hooks  orders    com.example.order.  ${state}  3        1     2023-11-14T22:13:20.000Z  1     node-1
`

describe('wamp-gateway deliveries', () => {
  it('lists them with their states', async () => {
    expect(await run()).to.deep.include({ code: 0, out: table('stopped (gone)') })
  })

  it('tells the events of one, its gaps, and how to go on', async () => {
    const { code, out } = await run(...one, '--state', 'dead', '--limit', '1')
    expect(code).to.equal(0)
    expect(out).to.equal(`${table('stopped (gone)')}
EVENT  TOPIC                      STATE             ATTEMPTS  ACCEPTED                  DUE  LAST
msg_1  com.example.order.created  dead (exhausted)  10        2023-11-14T22:13:20.000Z       503

GAP          SINCE                     UNTIL                     EVENTS
router_lost  2026-11-28T12:00:00.000Z  2026-11-28T12:00:05.000Z  unknown

There are more: --after c1
`)
  })

  it('does what is asked', async () => {
    expect(await run(...one, 'replay', '--state', 'dead')).to.deep.include({
      code: 0,
      out: '7 events\n',
    })
    expect(await run(...one, 'pause')).to.deep.include({ code: 0, out: table('paused') })
    expect((await run(...one, 'show', '--event', 'msg_1')).out).to.include('"webhook_id": "msg_1"')
  })

  it('lists the endpoints of users, and does what is asked to one', async () => {
    expect(await run(...one, 'endpoints')).to.deep.include({
      code: 0,
      out: `ENDPOINT  USER  URL                        STATE           PENDING  DEAD  GAPS  PERMITTED
ep_1      ada   https://ada.example/hooks  stopped (gone)  2        0     0     true
`,
    })
    const atOne = ['--endpoint', 'ep_1'] as const
    expect((await run(...one, '--limit', '1', ...atOne)).code).to.equal(0)
    expect((await run(...one, 'show', '--event', 'msg_1', ...atOne)).out).to.include('msg_1')
    for (const [verb, out] of [
      [['replay', '--state', 'dead'], '2 events\n'],
      [['resume'], table('active')],
      [['remove'], 'removed\n'],
    ] as const) {
      expect(await run(...one, ...verb, ...atOne)).to.deep.include({ code: 0, out })
    }
  })

  it('ends with 1 where a test is not taken', async () => {
    expect(await run(...one, 'test')).to.deep.include({
      code: 1,
      out: 'the connection was refused\n',
    })
  })

  for (const [what, args, message] of [
    [
      'an unknown verb',
      [...one, 'stop'],
      'stop: expected one of pause, resume, test, replay, drop, show, endpoints, remove',
    ],
    ['a replay of nothing', [...one, 'replay'], 'expected either --event or --state'],
    [
      'both',
      [...one, 'drop', '--state', 'dead', '--event', 'a'],
      'expected either --event or --state',
    ],
    ['no event to show', [...one, 'show'], 'expected --event'],
    ['no endpoint to remove', [...one, 'remove'], 'expected --endpoint'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { code, err } = await run(...args)
      expect(code).to.equal(64)
      expect(err).to.include(message)
    })
  }
})
