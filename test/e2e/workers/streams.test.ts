/** Streams of a gateway of several processes: what one worker revokes ends them in the others. */

import { expect } from 'chai'
import { logIn, revoke } from '#test/support/examples/example-api.ts'
import {
  bearer,
  expectAlive,
  issueKey,
  keyed,
  liveRealm,
  manage,
} from '#test/support/examples/live-api.ts'
import { expectEnds, StreamsFixture } from './streams.setup.ts'

const unauthorized = 'service.error.unauthorized'

describe('streams of a gateway of 2 workers', () => {
  let fixture: StreamsFixture
  beforeEach(async () => {
    fixture = await StreamsFixture.start()
  })
  afterEach(() => fixture.stop())

  it('end in all of them when a token, an API key or a user is revoked', async () => {
    const { access_token } = await logIn(fixture.gateway.url)
    const byToken = await fixture.everywhere('token', bearer(access_token))
    const anonymous = await fixture.everywhere('open')
    expect(await revoke(fixture.gateway.url, access_token)).to.equal(200)
    await expectEnds(byToken, unauthorized)

    const { id, api_key } = await issueKey(fixture.gateway.adminUrl)
    const byKey = await fixture.everywhere('key', keyed(api_key))
    await manage(fixture.gateway.adminUrl, `/api_keys/${id}`, undefined, 'DELETE')
    await expectEnds(byKey, unauthorized)

    const next = await logIn(fixture.gateway.url)
    const ofUser = await fixture.everywhere('gateway', bearer(next.access_token))
    await fixture.gateway.post('/realms', liveRealm({ ofAda: { enabled: false } }))
    await expectEnds(ofUser, unauthorized)
    for (const stream of anonymous) await expectAlive(fixture.gateway.url, stream)
  })
})
