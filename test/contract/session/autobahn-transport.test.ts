/** What the gateway relies on in autobahn beside its documented API: a new version that changes it fails here. */
import autobahn, { type Transport, type TransportOptions } from 'autobahn'
import { expect } from 'chai'

const type = 'contract'

class TransportFactory {
  readonly type = type
  readonly create: () => Transport

  constructor(options: TransportOptions) {
    this.create = options.create
  }
}

/** A connection over a transport of the test, which is open, and what it has sent. */
function opened() {
  const sent: (readonly unknown[])[] = []
  const transport: Transport = {
    info: { type, url: null, protocol: null },
    send: (message) => sent.push(message),
    close: () => undefined,
    onmessage: () => undefined,
    onopen: () => undefined,
    onclose: () => undefined,
  }
  autobahn.transports.register(type, TransportFactory)
  const connection = new autobahn.Connection({
    realm: 'com.example',
    transports: [{ type, url: '', create: () => transport }],
    ...{ max_retries: 0, use_es6_promises: true },
  })
  connection.open()
  transport.onopen()
  return { connection, sent, transport }
}

describe('autobahn', () => {
  it('speaks over the transport that a registered factory makes of the options of the connection', () => {
    const { connection, sent, transport } = opened()
    expect(sent.at(-1)?.slice(0, 2)).to.deep.equal([1, 'com.example'])
    transport.onmessage([2, 1, { roles: {} }])
    expect(connection.session?.isOpen).to.equal(true)
  })

  it('lists the registrations of a session', async () => {
    const { connection, sent, transport } = opened()
    transport.onmessage([2, 1, { roles: {} }])
    const registered = connection.session?.register('com.example.a', () => undefined)
    transport.onmessage([65, sent.at(-1)?.[1], 7])
    await registered
    expect(connection.session?.registrations.map(({ id }) => id)).to.deep.equal([7])
  })
})
