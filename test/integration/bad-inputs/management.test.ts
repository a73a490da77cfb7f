/** Requests for management that must be refused, as bytes on the listeners for operators and for clients. */
import { expect } from 'chai'
import { describeArea } from './cases.ts'
import { documentOf, operation } from './documents.ts'
import { type Answer, ask, expectRefusal, get, jsonOf, post } from './sockets.ts'

const json = 'application/json'
const document = JSON.stringify(
  documentOf('com.t.a', { '/x': { get: operation({ type: 'static', body: 'loaded' }) } }),
)
const loading = (...lines: readonly string[]) => post('/api_specs', json, document, lines)

describeArea('management', {}, (area) => {
  /** Both listeners serve management while they are bound to loopback only. */
  const onBoth = async (bytes: string | Uint8Array): Promise<readonly Answer[]> => [
    await ask(area.adminPort, bytes),
    await ask(area.port, bytes),
  ]

  /** Nothing but the good document is there, and nothing else is routed. */
  async function isUnchanged(): Promise<void> {
    const list = jsonOf(await ask(area.adminPort, get('/api_specs')))
    expect(list).to.have.length(1).and.have.nested.property('[0].id', 'com.t.good')
    expect((await ask(area.port, get('/v1/x'))).status).to.equal(404)
  }

  area.test(149, async (entry) => {
    for (const id of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      for (const path of [`/api_specs/${id}`, `/api_specs/${id}/info`]) {
        for (const answer of await onBoth(get(path))) expectRefusal(answer, entry)
      }
      const body = JSON.stringify({ id })
      for (const answer of await onBoth(post('/services/get_api_spec', json, body))) {
        expectRefusal(answer, entry)
      }
    }
  })

  area.test(150, async (entry) => {
    const origin = 'Origin: https://evil.com'
    const tellsNoCors = ({ headers }: Answer) =>
      expect(Object.keys(headers).join()).to.not.include('access-control-')
    for (const bytes of [
      loading(origin),
      get('/api_specs', origin),
      get('/api_specs/com.t.good', origin).replace('GET', 'DELETE'),
      loading('Origin: null'),
    ]) {
      for (const answer of await onBoth(bytes)) {
        expectRefusal(answer, entry)
        tellsNoCors(answer)
      }
    }
    // what a browser asks first: no such method here, whoever asks
    const preflight = get('/api_specs', origin, 'Access-Control-Request-Method: POST')
    for (const answer of await onBoth(preflight.replace('GET', 'OPTIONS'))) {
      expect(answer.status).to.equal(405)
      tellsNoCors(answer)
    }
    await isUnchanged()
  })

  area.test(151, async (entry) => {
    const bytes = get('/api_specs/nope').replace('GET', 'DELETE')
    for (const answer of await onBoth(bytes)) expectRefusal(answer, entry)
    await isUnchanged()
  })

  area.test(152, async (entry) => {
    for (const answer of await onBoth(get('/api_specs/a%2Finfo'))) expectRefusal(answer, entry)
  })

  area.test(154, async (entry) => {
    for (const line of [
      'X-Forwarded-For: 203.0.113.7',
      'X-Forwarded-For: 127.0.0.1',
      'X-Forwarded-For:',
      'X-Forwarded-Host: localhost',
      'Forwarded: for=127.0.0.1',
      'X-Real-IP: 127.0.0.1',
      'Via: 1.1 proxy',
    ]) {
      for (const answer of await onBoth(loading(line))) {
        expectRefusal(answer, entry)
        expect(answer.headers, line).to.have.property('www-authenticate')
      }
    }
    await isUnchanged()
  })
})

const apart = { 'admin.share_gateway_listener': 'false' }

describeArea('management on a listener of its own', apart, (area) => {
  area.test(153, async (entry) => {
    for (const bytes of [
      loading(),
      post('/services/load_api_spec', json, document),
      get('/api_specs'),
      get('/api_specs/com.t.good'),
      get('/realms'),
    ]) {
      expectRefusal(await ask(area.port, bytes), entry)
    }
    const list = jsonOf(await ask(area.adminPort, get('/api_specs')))
    expect(list, 'nothing stored').to.have.length(1)
  })
})
