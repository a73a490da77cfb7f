/** Where a forward may connect to (bad inputs 155, 157, 160, 162, 163, 166, 170, 172). */
import { expect } from 'chai'
import type { Lookup } from '#component/action/connections/connector.ts'
import { ServiceError } from '#component/errors.ts'
import { attempts, bodyOf, closeAll, failureOf, forwarder, perform, upstream } from './upstreams.ts'

describe('forward to a host computed from the request', () => {
  afterEach(closeAll)

  const computed = new Set(['host'])
  for (const host of [
    ...['127.0.0.1', '127.1', '0x7f.1', '2130706433', '0', '10.0.0.5', '0xa9fea9fe'],
    ...['metadata.google.internal', 'good.com@169.254.169.254', '[::ffff:127.0.0.1]'],
    ...['[64:ff9b::a9fe:a9fe]', 'file:///etc/passwd', 'gopher://x', '', 'x\r\ny', '//evil.com'],
  ]) {
    it(`refuses ${JSON.stringify(host)} (155, 157, 160, 162, 163, 166, 170, 172)`, async () => {
      const failure = await failureOf(perform({ host }, { computed }, forwarder(['*.example.com'])))
      expect(failure).to.be.instanceOf(ServiceError)
      expect(failure).to.have.property('uri', 'wamp.error.not_authorized')
    })
  }

  it('refuses a listed name that resolves to a private address', async () => {
    let count = 0
    const host = await upstream(() => {
      count += 1
    })
    const port = host.split(':')[1]
    const lookup: Lookup = (_name, _options, callback) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }])
    const failure = await failureOf(
      perform(
        { host: `rebind.example.com:${port}` },
        { computed, ...attempts({ retries: 3 }) },
        forwarder(['*.example.com'], lookup),
      ),
    )
    expect(failure).to.have.property('uri', 'wamp.error.not_authorized')
    expect(count).to.equal(0)
  })

  it('reaches a listed name whose private address is listed, too', async () => {
    const host = await upstream((_request, response) => response.end('x'))
    const port = host.split(':')[1]
    const lookup: Lookup = (_name, _options, callback) =>
      callback(null, [
        { address: '10.0.0.5', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ])
    const action = forwarder(['a.example.com', `127.0.0.1:${port}`], lookup)
    const outcome = await perform({ host: `a.example.com:${port}` }, { computed }, action)
    expect(outcome).to.have.nested.property('result.status_code', 200)
  })
})

describe('forward to a host fixed in the document', () => {
  afterEach(closeAll)

  for (const host of [
    '169.254.169.254',
    'http://0xa9fea9fe',
    '[fe80::1]',
    '[::ffff:169.254.169.254]',
  ]) {
    it(`refuses ${host}`, async () => {
      const failure = await failureOf(perform({ host }))
      expect(failure).to.have.property('uri', 'wamp.error.not_authorized')
    })
  }

  it('refuses a name that resolves to a metadata address', async () => {
    const lookup: Lookup = (_name, _options, callback) =>
      callback(null, [{ address: '169.254.169.254', family: 4 }])
    const failure = await failureOf(perform({ host: 'a.example' }, {}, forwarder([], lookup)))
    expect(failure).to.have.property('uri', 'wamp.error.not_authorized')
  })

  it('takes a scheme with it', async () => {
    const host = await upstream((_request, response) => response.end('x'))
    const outcome = await perform({ host: `http://${host}` })
    expect(await bodyOf(outcome)).to.equal('x')
  })
})
