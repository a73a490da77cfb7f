/** Streams of users hold the sessions of these users, up to `limits.stream_sessions`. */
import { expect } from 'chai'
import { type EventStream, openEventStream } from '#test/support/event-stream.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { untilHolds } from '#test/support/running/until.ts'

const realm_uri = 'com.example.held'
const password = 'the same for both of them'

const realm = {
  uri: realm_uri,
  authmethods: ['password'],
  users: ['ada', 'bob'].map((username) => ({ username, password })),
  grants: [{ permissions: ['wamp.subscribe'], roles: 'all', uri: 'com.example.', match: 'prefix' }],
}

const document = {
  ...{ id: 'com.example.held', host: '_', realm_uri },
  versions: {
    one: {
      base_path: '/held',
      paths: {
        '/:topic': {
          get: {
            security: { type: 'basic' },
            action: {
              ...{ type: 'wamp_subscribe', topic: 'com.example.{{request.bindings.topic}}' },
              replay_timeout: 0,
            },
            response: { on_error: {} },
          },
        },
      },
    },
  },
}

describe('the sessions of users that streams hold', () => {
  let gateway: TestGateway

  const open = (username: string, topic: string): Promise<EventStream> => {
    const headers = { authorization: `Basic ${btoa(`${username}:${password}`)}` }
    return openEventStream(`${gateway.url}/held/${topic}`, { headers })
  }

  before(async () => {
    gateway = await startGateway({ 'limits.stream_sessions': '1' }, { isEmbedded: true })
    const answer = await fetch(`${gateway.adminUrl}/realms`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(realm),
    })
    expect(answer.ok, await answer.text()).to.equal(true)
    await gateway.mustLoad(document)
  })
  after(() => gateway.stop())

  it('are at most limits.stream_sessions, however many streams a user has', async () => {
    const [first, second] = [await open('ada', 'a'), await open('ada', 'b')]
    expect([first.status, second.status]).to.deep.equal([200, 200])
    const refused = await open('bob', 'a')
    await refused.ended
    expect(refused.status).to.equal(503)
    expect(Number(refused.headers['retry-after'])).to.be.within(3, 7)
    expect(JSON.parse(refused.text)).to.include({ code: 'service.error.unavailable' })
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    expect(metrics).to.match(/^gateway_streams_refused_total\{limit="stream_sessions"\} 1$/m)
    const key = '{limit="limits.stream_sessions"}'
    const ofLimit = metrics.split('\n').filter((line) => line.includes(key))
    expect(ofLimit).to.deep.equal([
      `gateway_limit${key} 1`,
      `gateway_limit_used${key} 1`,
      `gateway_limit_refused_total${key} 1`,
    ])
    first.close()
    second.close()
    await untilHolds(async () => {
      const events = await open('bob', 'a')
      events.close()
      return events.status === 200
    })
  })
})
