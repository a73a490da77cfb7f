/** Where a forward may go: hosts that the configuration lists, and addresses. */
import { expect } from 'chai'
import { hostPolicy, refuseAddress } from '#component/action/connections/origin.ts'
import { readOrigin } from '#component/syntax/upstream-origin.ts'

describe('forward.allowed_hosts', () => {
  for (const [entries, host, isAllowed] of [
    [[], 'example.com', false],
    [['example.com'], 'EXAMPLE.com', true],
    [['example.com'], 'example.com.', true],
    [['example.com'], 'https://example.com:8443', true],
    [['example.com'], 'www.example.com', false],
    [['example.com:81'], 'example.com:81', true],
    [['example.com:81'], 'example.com', false],
    [['*.example.com'], 'a.b.example.com', true],
    [['*.example.com'], 'example.com', false],
    [['*.example.com'], 'badexample.com', false],
    [['*.0.0.1'], '127.0.0.1', false],
    [['127.0.0.1'], '127.1:8080', true],
    [['::1'], '[::1]:9', true],
    [['[::1]:9'], '[::1]:9', true],
    [['127.0.0.1:81'], '127.0.0.1:82', false],
    [['not a host', 'example.com/x'], 'example.com', false],
  ] as const) {
    it(`[${entries.join(', ')}] ${isAllowed ? 'allows' : 'refuses'} ${host}`, () => {
      const origin = readOrigin(host)
      if ('problem' in origin) expect.fail(origin.problem)
      expect(hostPolicy(entries).allows(origin)).to.equal(isAllowed)
    })
  }

  for (const [address, policy, uri] of [
    ['127.0.0.1', undefined, undefined],
    ['169.254.169.254', undefined, 'wamp.error.not_authorized'],
    ['10.0.0.5', hostPolicy([]), 'wamp.error.not_authorized'],
    ['10.0.0.5', hostPolicy(['backend.internal']), 'wamp.error.not_authorized'],
    ['10.0.0.5', hostPolicy(['backend.internal', '10.0.0.5']), undefined],
    ['10.0.0.5', hostPolicy(['10.0.0.5:80']), undefined],
    ['10.0.0.5', hostPolicy(['10.0.0.5:81']), 'wamp.error.not_authorized'],
    ['169.254.169.254', hostPolicy(['169.254.169.254']), 'wamp.error.not_authorized'],
    ['8.8.8.8', hostPolicy([]), undefined],
  ] as const) {
    it(`${address} of a ${policy ? 'computed' : 'fixed'} host: ${uri ?? 'connected to'}`, () => {
      expect(refuseAddress(address, 80, policy)?.uri).to.equal(uri)
    })
  }
})
