/** Where the requests of deliveries may go, by a real forward whose names resolve to what the test says. */

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Lookup } from '#component/action/connections/connector.ts'
import { hostPolicy } from '#component/action/connections/origin.ts'
import { forwardAction } from '#component/action/forward/perform.ts'
import { systemClock } from '#component/clock.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import { deliveryOf } from '#component/delivery/requests/delivery-of.ts'
import { isDeliveryEntry } from '#component/delivery/requests/plan.ts'
import type { AttemptEnd } from '#component/delivery/types.ts'
import { decodeBody, encodeBody } from '#http/codec.ts'
import { compilePorts } from '#test/unit/explain/rehearse.ts'
import { noUsers } from './no-users.ts'

const codec = { decode: decodeBody, encode: encodeBody }

describe('the requests of deliveries', () => {
  let server: Server
  let port = 0
  let asked = 0

  before(async () => {
    server = createServer((request, response) => {
      asked += 1
      const isMoved = request.url === '/moved'
      response.writeHead(isMoved ? 307 : 204, isMoved ? { location: '/hooks' } : {}).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  after(() => server.close())
  beforeEach(() => {
    asked = 0
  })

  /** Sends one event. @param addresses of every name */
  async function sent(
    url: string,
    addresses: readonly string[],
    allowedHosts: readonly string[] = [],
  ): Promise<AttemptEnd> {
    const { api, issues } = compileDocument(
      {
        id: 'a',
        realm_uri: 'com.example',
        deliveries: { it: { topic: 'a.b', to: { url: url.replace('PORT', String(port)) } } },
      },
      compilePorts,
    )
    const plan = api?.entries.find(isDeliveryEntry)?.delivery
    if (!plan) throw new TypeError(JSON.stringify(issues))
    const lookup: Lookup = (_name, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
    const hosts = hostPolicy(allowedHosts)
    const forward = forwardAction({ clock: systemClock, codec, hosts, viaName: 'n', lookup })
    const delivery = deliveryOf(plan, {
      perform: forward.perform,
      signers: { find: () => undefined, keys: () => [] },
      upstreamOrigins: () => undefined,
      ...{ codec, random: () => 0, ofUsers: noUsers },
    })
    const event = {
      ...{ topic: 'a.b', args: [], details: {}, publication: '1', accepted_at: '' },
      kwargs: { host: 'hooks.example' },
    }
    const request = delivery.request(event, { attempt: 1, webhook_id: 'msg_1', now: 0 })
    if ('failed' in request) throw new Error(request.failed)
    try {
      return await request.send(new AbortController().signal)
    } finally {
      await forward.close()
    }
  }

  it('go to a fixed host at a private address', async () => {
    expect(await sent(`http://hooks.example:${port}/hooks`, ['127.0.0.1'])).to.deep.equal({
      status: 204,
    })
    expect(asked).to.equal(1)
  })

  it('follow no redirect', async () => {
    expect(await sent(`http://hooks.example:${port}/moved`, ['127.0.0.1'])).to.deep.equal({
      status: 307,
    })
    expect(asked).to.equal(1)
  })

  const computed = 'http://{{action.event.kwargs.host}}:PORT/hooks'

  it('go to a computed host that is listed with its address', async () => {
    const listed = ['hooks.example', `127.0.0.1:${port}`]
    expect(await sent(computed, ['127.0.0.1'], listed)).to.deep.equal({ status: 204 })
  })

  for (const [what, url, addresses, listed] of [
    [
      'a fixed name that resolves to a link-local address',
      'http://hooks.example/',
      ['169.254.169.254'],
      [],
    ],
    ['the same, mapped to IPv6', 'http://hooks.example/', ['::ffff:169.254.169.254'], []],
    ['the same by IPv6', 'http://hooks.example/', ['fe80::1'], []],
    ['a computed host that is not listed', computed, ['127.0.0.1'], []],
    [
      'a computed host whose name resolves to a private address',
      computed,
      ['127.0.0.1'],
      ['hooks.example'],
    ],
    ['the same, mapped to IPv6', computed, ['::ffff:127.0.0.1'], ['hooks.example']],
    [
      'a computed host by a listed suffix at a private address',
      computed,
      ['10.0.0.1'],
      ['*.example'],
    ],
  ] as const) {
    it(`are refused ${what}, and nothing is connected to`, async () => {
      expect(await sent(url, addresses, listed)).to.have.property('isRefused', true)
      expect(asked).to.equal(0)
    })
  }
})
