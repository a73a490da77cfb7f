/** What the record of a session keeps of joins and ends. */
import { expect } from 'chai'
import { endingOf, SessionRecord } from '#component/wamp/session-record.ts'

describe('the record of a session', () => {
  const errorOf = (ending: Parameters<SessionRecord['ended']>[0]) => {
    const record = new SessionRecord()
    record.ended(ending, 5_000)
    return record.lastError
  }

  it('has no error and no reconnect at first', () => {
    const { lastError, lastReason, reconnects } = new SessionRecord()
    expect([lastError, lastReason, reconnects]).to.deep.equal([undefined, '', 0])
  })

  it('counts the joins after the first one', () => {
    const record = new SessionRecord()
    for (let joins = 0; joins < 3; joins += 1) record.joined()
    expect(record.reconnects).to.equal(2)
  })

  it('keeps the last error over the next join', () => {
    const record = new SessionRecord()
    record.ended({ reason: 'the link is silent' }, 5_000)
    record.joined()
    expect(record.lastError?.at).to.equal(5_000)
  })

  for (const { title, message, error_uri, text } of [
    {
      title: 'the URI and the text of an ABORT',
      message: [
        3,
        { message: 'no principal with this authid' },
        'wamp.error.authentication_failed',
      ],
      error_uri: 'wamp.error.authentication_failed',
      text: 'no principal with this authid',
    },
    {
      title: 'our sentence for a URI without a text',
      message: [3, {}, 'wamp.error.no_such_realm'],
      error_uri: 'wamp.error.no_such_realm',
      text: 'The realm does not exist.',
    },
    {
      title: 'a sentence for a URI that nobody knows',
      message: [6, { message: 7 }, 'com.example.own_reason'],
      error_uri: 'com.example.own_reason',
      text: 'the router has ended the session',
    },
    {
      title: 'one line of a text of many lines',
      message: [3, { message: `a\r\nb${'x'.repeat(500)}` }, 'wamp.error.not_authorized'],
      error_uri: 'wamp.error.not_authorized',
      text: `a b${'x'.repeat(197)}`,
    },
  ]) {
    it(`tells ${title}`, () => {
      expect(errorOf(endingOf(message))).to.deep.equal({ at: 5_000, error_uri, message: text })
    })
  }

  it('takes an end without an answer of a router for a failure of the network', () => {
    expect(errorOf({ reason: 'connect ECONNREFUSED 127.0.0.1:1' })).to.deep.equal({
      at: 5_000,
      error_uri: 'wamp.error.net_failure',
      message: 'connect ECONNREFUSED 127.0.0.1:1',
    })
  })
})
