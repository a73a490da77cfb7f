/** wamp_publish against a session that does as told. */
import { expect } from 'chai'
import { wampPublishAction } from '#component/action/wamp-publish/perform.ts'
import { WampError } from '#component/wamp/session.ts'
import { ManualClock, runOf, SessionDouble, settled } from './doubles.ts'

const actionOver = (session: SessionDouble, clock = new ManualClock()) =>
  wampPublishAction({ sessions: { session: () => session }, clock, allowedDynamicUris: [] })

describe('wamp_publish', () => {
  it('publishes with acknowledgement and results in the publication_id', async () => {
    const session = new SessionDouble({ publication_id: 99 })
    const outcome = await actionOver(session).perform(
      { topic: 'com.example.on_x', args: [1], options: { exclude_me: false, timeout: 1 } },
      runOf().run,
    )
    expect(outcome).to.deep.equal({ result: { publication_id: 99 } })
    expect(session.asked[0]).to.deep.include({
      uri: 'com.example.on_x',
      args: [1],
      kwargs: {},
      options: { acknowledge: true, exclude_me: false },
    })
  })

  it('results in no publication_id without acknowledgement', async () => {
    const outcome = await actionOver(new SessionDouble({})).perform(
      { topic: 'com.example.on_x', options: { acknowledge: false } },
      runOf().run,
    )
    expect(outcome).to.deep.equal({ result: {} })
  })

  it('ends a refusal in an ordinary action.error', async () => {
    const session = new SessionDouble(new WampError('wamp.error.not_authorized', { args: ['no'] }))
    const outcome = await actionOver(session).perform({ topic: 'a.b' }, runOf().run)
    expect(outcome).to.deep.equal({
      error: { error_uri: 'wamp.error.not_authorized', args: ['no'], kwargs: {}, details: {} },
    })
  })

  for (const topic of ['wamp.session.on_join', 'service.api_spec.on_load']) {
    it(`refuses ${topic} computed from the request`, async () => {
      const session = new SessionDouble({ publication_id: 1 })
      const failure = await actionOver(session)
        .perform({ topic }, runOf({ computed: new Set(['topic']) }).run)
        .catch((error: unknown) => error)
      expect(failure).to.have.property('uri', 'wamp.error.not_authorized')
      expect(session.asked).to.deep.equal([])
    })
  }

  it('publishes again only what was not sent', async () => {
    const clock = new ManualClock()
    const attempts = { timeout: 1000, connect_timeout: 500, retries: 2, retry_timeout: 5000 }
    const failed = new WampError('wamp.error.net_failure', { wasSent: false })
    const session = new SessionDouble(failed, new WampError('wamp.error.net_failure'))
    const performed = actionOver(session, clock).perform(
      { topic: 'a.b' },
      runOf({ method: 'post', attempts }).run,
    )
    await clock.advance(4000)
    expect(await performed).to.have.nested.property('error.error_uri', 'wamp.error.net_failure')
    expect(session.asked).to.have.length(2)
  })

  it('settles at once when the client goes away', async () => {
    const session = new SessionDouble(undefined)
    const { run, cancel } = runOf()
    const performed = actionOver(session).perform({ topic: 'a.b' }, run)
    await settled()
    cancel()
    expect(await performed).to.have.nested.property('error.error_uri', 'wamp.error.canceled')
  })
})
