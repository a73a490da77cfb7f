/** Streams of events through nginx, Caddy and HAProxy as deploy/ configures them, to Chromium's EventSource over HTTP/2. */
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '#test/browser/chromium.ts'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { openEventStream } from '#test/support/event-stream.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { until } from '#test/support/running/until.ts'
import { type ProxyName, type RunningProxy, startProxy } from './proxy.ts'

const realm = 'com.example.test'
const topic = 'com.example.test.on_change'
const procedure = 'com.example.test.count'

const response = { on_event: { body: '{{action.event.args |> head}}' }, on_error: {} }

/** `listen` resolves when a stream is open; `kept` has a list for each: the data of its events, and what else happens to it. */
const page = `<!doctype html><title>Streams</title><script>
  const kept = []
  const listen = (path) => new Promise((resolve) => {
    const source = new EventSource(path)
    const seen = []
    kept.push(seen)
    source.onopen = resolve
    source.onmessage = ({ data }) => seen.push(data)
    source.addEventListener('result', ({ data }) => seen.push('result ' + data))
    source.onerror = () => seen.push('error')
  })
</script>`

/** A page to ask from, a stream of events, one with frequent heartbeats, and a call with progress. */
const document = {
  id: 'com.example.streams',
  host: '_',
  realm_uri: realm,
  versions: {
    1: {
      base_path: '/streams',
      paths: {
        '/page': {
          get: {
            action: { type: 'static', body: page },
            response: { on_result: { headers: { 'content-type': 'text/html' } } },
          },
        },
        '/changes': { get: { action: { type: 'wamp_subscribe', topic }, response } },
        '/beating': {
          get: { action: { type: 'wamp_subscribe', topic, heartbeat: 1000 }, response },
        },
        '/count': {
          get: {
            action: { type: 'wamp_call', procedure, timeout: 20_000 },
            response: {
              on_progress: { body: '{{action.progress.args |> head}}' },
              on_result: { body: '{{action.result.args |> head}}' },
              on_error: {},
            },
          },
        },
      },
    },
  },
}

/** So many streams a browser cannot have over HTTP/1.1: it opens six connections to a host. */
const manyStreams = 12

/** Makes a proxy cut answers that are silent for two seconds. */
const impatience: Readonly<Record<ProxyName, (configuration: string) => string>> = {
  nginx: (text) =>
    text.replace('proxy_pass', 'proxy_read_timeout 2s;\n    send_timeout 2s;\n    proxy_pass'),
  Caddy: (text) => text.replace('keepalive 60s', 'keepalive 60s\n\t\t\tread_timeout 2s'),
  HAProxy: (text) => text.replace(/timeout (client|server) 60s/g, 'timeout $1 2s'),
}

for (const name of ['nginx', 'Caddy', 'HAProxy'] as const) {
  describe(`streams through ${name}`, () => {
    let gateway: GatewayProcess
    let proxy: RunningProxy
    let publisher: RouterPeer
    let browser: Browser
    let tab: Page
    let published = 0

    before(async () => {
      gateway = await startGatewayProcess({ 'gateway.trusted_proxies': '[127.0.0.1]' })
      await gateway.post('/api_specs', document)
      publisher = await RouterPeer.join({ url: gateway.routerUrl, realm })
      proxy = await startProxy(name, gateway.url)
      browser = await launchBrowser(`--ignore-certificate-errors-spki-list=${proxy.authorityPin}`)
    })
    after(async () => {
      await browser?.close()
      publisher?.cut()
      await proxy?.stop()
      await gateway?.kill()
    })
    beforeEach(async () => {
      tab = await browser.newPage()
      await tab.goto(`https://localhost:${proxy.port}/streams/page`)
    })
    afterEach(() => tab.close())

    /** What each stream of the page has shown so far. */
    const kept = () => tab.evaluate('kept') as Promise<string[][]>
    const publish = async () => {
      const number = ++published
      const [code] = await publisher.ask(16, number, { acknowledge: true }, topic, [number])
      expect(code).to.equal(17)
      return String(number)
    }

    it('show each event before the next one is published', async () => {
      await tab.evaluate('listen("/streams/changes")')
      const expected: string[] = []
      for (let round = 0; round < 5; round++) {
        expected.push(await publish())
        await until('it is shown', async () => (await kept())[0]?.length === expected.length)
      }
      expect(await kept()).to.deep.equal([expected])
    })

    it('are more at a time over HTTP/2 than a browser has connections to a host', async () => {
      const protocol = 'performance.getEntriesByType("navigation")[0].nextHopProtocol'
      expect(await tab.evaluate(protocol)).to.equal('h2')
      const all = Array.from({ length: manyStreams })
      await tab.evaluate(`Promise.all([${all.map(() => 'listen("/streams/changes")')}])`)
      const number = await publish()
      await until('all have it', async () => (await kept()).every(({ length }) => length > 0))
      expect(await kept()).to.deep.equal(all.map(() => [number]))
    })

    it('show progress before the callee goes on', async () => {
      const callee = await RouterPeer.join({ url: gateway.routerUrl, realm })
      await callee.register(procedure)
      await tab.evaluate('void listen("/streams/count")')
      const [, invocation] = await callee.next()
      for (const step of [1, 2, 3]) {
        callee.send(70, invocation, { progress: true }, [step])
        await until('it is shown', async () => (await kept())[0]?.length === step)
      }
      callee.send(70, invocation, {}, ['done'])
      await until('it has ended', async () => (await kept())[0]?.[3] !== undefined)
      expect((await kept())[0]?.slice(0, 4)).to.deep.equal(['1', '2', '3', 'result "done"'])
      callee.cut()
    })

    it('stay open between events where the proxy cuts answers that are silent for longer than a heartbeat', async () => {
      const impatient = await startProxy(name, gateway.url, impatience[name])
      try {
        const { ca, port } = impatient
        const url = `https://localhost:${port}/streams/beating`
        const stream = await openEventStream(url, { ca })
        expect(stream.status).to.equal(200)
        await until('four heartbeats', () => stream.comments.length >= 4, 20_000)
        const number = await publish()
        expect((await stream.next()).data).to.equal(number)
        stream.close()
      } finally {
        await impatient.stop()
      }
    })
  })
}
