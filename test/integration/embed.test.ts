/** A gateway within another program: object in, events out, routes on a server of the program. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autobahn from 'autobahn'
import { expect } from 'chai'
import { ConfigError, type Options, ServiceError, WampGateway } from '#component/embed.ts'
import { takePort } from '#test/support/command.ts'
import { until } from '#test/support/running/until.ts'

const documentOf = (answer: string, path = '/answer') => ({
  ...{ id: 'com.example.embedded', host: '_', realm_uri: 'com.example' },
  versions: {
    '1': {
      base_path: '/v1',
      paths: {
        [path]: {
          get: {
            action: { type: 'static', body: answer },
            response: { on_result: { body: '{{action.result.body}}' } },
          },
        },
      },
    },
  },
})

const read = async (url: string) => {
  const response = await fetch(url)
  return [response.status, await response.text()]
}

describe('an embedded gateway', () => {
  let folder: string
  const gateways: WampGateway[] = []
  const servers: Server[] = []

  const make = (name: string, options: Options = {}) => {
    const gateway = new WampGateway({
      gateway: { listen: '127.0.0.1:0' },
      admin: { listen: '127.0.0.1:0' },
      log: { level: 'silent' },
      data_dir: join(folder, name),
      ...options,
    })
    gateways.push(gateway)
    return gateway
  }

  const started = async (name: string, options?: Options) => {
    const gateway = make(name, options)
    await gateway.start()
    await gateway.call('service.load_realm', { uri: 'com.example' })
    return gateway
  }

  it('loads its files again when they change and watch is set, and obeys no signal', async () => {
    const listeners = () => ['SIGHUP', 'SIGUSR2'].map((name) => process.listenerCount(name))
    const before = listeners()
    const file = join(folder, 'watched.json')
    const write = (answer: string) => writeFileSync(file, JSON.stringify(documentOf(answer)))
    writeFileSync(join(folder, 'realm.json'), JSON.stringify({ uri: 'com.example' }))
    write('first')
    const files = { specs: [file], realms: [join(folder, 'realm.json')], watch: true }
    const gateway = await started('watched', files)
    const answer = () => read(`${gateway.urls.gateway[0]}/v1/answer`)
    expect(await answer()).to.deep.equal([200, '"first"'])
    write('second')
    await until('the file is loaded again', async () => (await answer())[1] === '"second"')
    expect(listeners()).to.deep.equal(before)
  })

  const serve = async (listener: RequestListener) => {
    const server = createServer(listener).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-embedded-'))
  })

  afterEach(async () => {
    await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()))
    for (const server of servers.splice(0)) server.close().closeAllConnections()
    rmSync(folder, { recursive: true, force: true })
  })

  it('runs beside another one: each has its own listeners, store and documents', async () => {
    const [one, two] = await Promise.all([started('one'), started('two')])
    await one.load(documentOf('one'))
    await two.load(documentOf('two'))
    for (const [gateway, answer] of [
      [one, 'one'],
      [two, 'two'],
    ] as const) {
      expect(gateway.isReady).to.equal(true)
      expect(await read(`${gateway.urls.gateway[0]}/v1/answer`)).to.deep.equal([200, `"${answer}"`])
    }
    await one.stop()
    expect(await read(`${two.urls.gateway[0]}/v1/answer`)).to.deep.equal([200, '"two"'])
    expect(one.urls).to.deep.equal({ gateway: [], admin: [], health: [], router: '' })
  })

  it('tells of documents that became live or went, after they did', async () => {
    const gateway = await started('one')
    const url = `${gateway.urls.gateway[0]}/v1/answer`
    const loaded = once(gateway, 'load')
    const { id, ts } = await gateway.load(documentOf('one'))
    const [event] = await loaded
    expect(event)
      .to.include({ id, ts })
      .and.to.have.property('hash')
      .that.matches(/^[0-9a-f]{64}$/)
    expect((await read(url))[0]).to.equal(200)
    const deleted = once(gateway, 'delete')
    await gateway.call('service.delete_api_spec', id)
    expect((await deleted)[0]).to.include({ id, hash: null })
    expect((await read(url))[0]).to.equal(404)
  })

  it('refuses as management does, with every issue', async () => {
    const gateway = await started('one')
    const refusals = await Promise.all([
      gateway.load({}).catch((cause: unknown) => cause),
      gateway.call('service.get_api_spec', 'nothing').catch((cause: unknown) => cause),
      gateway.call('service.get_api_spec').catch((cause: unknown) => cause),
      gateway.call('service.nonsense').catch((cause: unknown) => cause),
    ])
    const [invalid] = refusals as ServiceError[]
    expect(invalid?.toJSON().details).to.have.length(4)
    for (const refusal of refusals) expect(refusal).to.be.instanceOf(ServiceError)
    expect(refusals.map((refusal) => (refusal as ServiceError).uri)).to.deep.equal([
      'wamp.error.invalid_argument',
      'service.error.not_found',
      'wamp.error.invalid_argument',
      'wamp.error.no_such_procedure',
    ])
  })

  it('serves its routes on a server of the program, and leaves all else to it', async () => {
    const gateway = await started('one', { gateway: { listen: [] }, admin: { listen: [] } })
    await gateway.load(documentOf('one'))
    const handler = gateway.handler()
    const url = await serve((request, response) =>
      handler(request, response, () => response.end(`own ${request.url}`)),
    )
    expect(gateway.urls.gateway).to.deep.equal([])
    expect(await read(`${url}/v1/answer`)).to.deep.equal([200, '"one"'])
    expect(await read(`${url}/other?x=1`)).to.deep.equal([200, 'own /other?x=1'])
    // management is never on a server of the program
    expect(await read(`${url}/api_specs`)).to.deep.equal([200, 'own /api_specs'])
    const head = await fetch(`${url}/v1/answer`, { method: 'DELETE' })
    expect([head.status, head.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, OPTIONS'])
  })

  it('serves a path with an escaped slash there where the document keeps it, and leaves the others', async () => {
    const gateway = await started('one', { gateway: { listen: [] }, admin: { listen: [] } })
    const get = {
      action: { type: 'static', body: '{{request.bindings.id}}' },
      response: { on_result: { body: '{{action.result.body}}' } },
    }
    const paths = {
      '/kept/:id': { escaped_slashes: 'keep', get },
      '/refused/:id': { get },
    }
    const versions = { 1: { base_path: '/v1', paths } }
    await gateway.load({ ...documentOf('x'), versions })
    const handler = gateway.handler()
    const url = await serve((request, response) =>
      handler(request, response, () => response.end('own')),
    )
    expect(await read(`${url}/v1/kept/a%2Fb`)).to.deep.equal([200, '"a/b"'])
    expect(await read(`${url}/v1/refused/a%2Fb`)).to.deep.equal([200, 'own'])
    expect(await read(`${url}/other/a%2Fb`)).to.deep.equal([200, 'own'])
  })

  it('gives the requests that it serves there a trace context, and leaves the others alone', async () => {
    const seen: (string | undefined)[] = []
    const upstream = await serve(({ headers }, response) => {
      seen.push(headers.traceparent as string | undefined)
      response.end('ok')
    })
    const gateway = await started('one', { telemetry: { traces: 'propagate' } })
    const document = documentOf('one', '/answer')
    const action = { type: 'forward', host: upstream }
    document.versions['1'].paths['/forward'] = { get: { action, response: {} } } as never
    await gateway.load(document)
    const handler = gateway.handler()
    const url = await serve((request, response) =>
      handler(request, response, () => response.end(`own ${request.headers.traceparent}`)),
    )
    const headers = { traceparent: 'as it came' }
    expect(await (await fetch(`${url}/v1/forward`, { headers })).text()).to.equal('ok')
    expect(seen).to.have.length(1)
    expect(seen[0]).to.match(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[23]$/)
    expect(await (await fetch(`${url}/other`, { headers })).text()).to.equal('own as it came')
  })

  it('answers 404 on a server of the program when nothing else would', async () => {
    const gateway = await started('one', { gateway: { listen: [] }, admin: { listen: [] } })
    const url = await serve(gateway.handler())
    expect((await read(`${url}/api_specs`))[0]).to.equal(404)
    expect((await read(`${url}/anything`))[0]).to.equal(404)
  })

  it('refuses wrong options when it is made, with a line for each', () => {
    const wrong = { gatway: {}, log: { level: 'loud' } } as Options
    expect(() => new WampGateway(wrong)).to.throw(
      ConfigError,
      /unknown option "gatway"; did you mean "gateway"\?\noption "log\.level"|option "log\.level".*\nunknown option "gatway"/,
    )
    expect(() => new WampGateway({ workers: 2 })).to.throw(ConfigError, 'one process')
  })

  it('leaves nothing open when it cannot start, and may be made again', async () => {
    const taken = await takePort()
    const listen = `127.0.0.1:${taken.port}`
    const failed = await make('one', { admin: { listen } })
      .start()
      .catch((cause: unknown) => cause)
    taken.free()
    expect(String(failed)).to.include(String(taken.port))
    const again = await started('one', { admin: { listen } })
    expect(again.urls.admin).to.deep.equal([`http://${listen}`])
  })

  it('stops while it starts: the start is rejected, and the folder serves the next one', async () => {
    const gateway = make('one')
    const starting = gateway.start().catch((cause: unknown) => cause)
    await gateway.stop()
    expect(String(await starting)).to.equal('Error: the gateway was stopped while it started')
    await expectRejection(gateway.call('service.list_api_specs'), 'the gateway is not started')
    expect((await started('one')).isReady).to.equal(true)
  })

  it('stops once: each that asks waits until all is closed', async () => {
    const gateway = await started('one')
    const ended: string[] = []
    void gateway.stop().then(() => ended.push('the stop'))
    await gateway.stop().then(() => ended.push('the second call'))
    expect(ended).to.deep.equal(['the stop', 'the second call'])
  })

  it('may be stopped before it starts, and twice', async () => {
    const gateway = make('one')
    await gateway.stop()
    await gateway.start()
    await gateway.stop()
    await gateway.stop()
    expect(gateway.isReady).to.equal(false)
    const again = await gateway.start().catch((cause: unknown) => cause)
    expect(String(again)).to.equal('Error: the gateway has been started')
    await expectRejection(gateway.call('service.list_api_specs'), 'the gateway is not started')
  })

  it("leaves autobahn's warnings and the signals to the program", async () => {
    const { warn } = autobahn.log
    const listeners = ['SIGTERM', 'SIGINT', 'uncaughtException'].map((name) =>
      process.listenerCount(name),
    )
    const gateway = await started('one')
    await gateway.stop()
    expect(autobahn.log.warn).to.equal(warn)
    expect(
      ['SIGTERM', 'SIGINT', 'uncaughtException'].map((name) => process.listenerCount(name)),
    ).to.deep.equal(listeners)
  })
})

async function expectRejection(promise: Promise<unknown>, message: string): Promise<void> {
  const cause = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(String(cause)).to.include(message)
}
