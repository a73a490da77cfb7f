/** Requests of the gateway itself: where they may go, and how much they take. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { CheckedFetch } from '#component/action/checked-fetch.ts'
import { hostPolicy } from '#component/action/connections/origin.ts'
import { systemClock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'

/** Timers run when the test says so. */
const timers = new Set<() => void>()
const clock = {
  ...systemClock,
  after(_ms: number, run: () => void) {
    timers.add(run)
    return () => timers.delete(run)
  },
}

async function errorOf(attempt: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt()
    return undefined
  } catch (error) {
    if (error instanceof ServiceError) return error.uri
    throw error
  }
}

describe('a checked fetch', () => {
  let server: Server
  let listener: RequestListener
  let checked: CheckedFetch
  let base: string
  beforeEach(async () => {
    timers.clear()
    checked = new CheckedFetch({ clock })
    server = createServer((request, response) => listener(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(async () => {
    await checked.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const get = (url = base, isFixed = true) => checked.fetch(url, {}, isFixed)

  it('gives status, headers and body', async () => {
    listener = (request, response) =>
      response.writeHead(201, { 'x-a': ['1', '2'] }).end(`${request.method} ${request.url}`)
    const answer = await get(`${base}/a?b=c#d`)
    expect(answer.status).to.equal(201)
    expect(answer.headers.get('x-a')).to.equal('1, 2')
    expect(await answer.text()).to.equal('GET /a?b=c')
    // that which ends idle connections
    expect(timers.size).to.equal(1)
  })

  it('sends forms', async () => {
    listener = async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      response.end(`${request.headers['x-a']} ${Buffer.concat(chunks)}`)
    }
    const body = new URLSearchParams({ a: 'b c' })
    const answer = await checked.fetch(
      base,
      { method: 'POST', headers: { 'x-a': '1' }, body },
      true,
    )
    expect(await answer.text()).to.equal('1 a=b+c')
  })

  it('gives redirects as they are, and answers without a body', async () => {
    const asked: unknown[] = []
    listener = ({ url }, response) => {
      asked.push(url)
      response.writeHead(url === '/none' ? 204 : 302, { location: '/elsewhere' }).end()
    }
    expect((await get()).status).to.equal(302)
    expect((await get(`${base}/none`)).status).to.equal(204)
    expect(asked).to.deep.equal(['/', '/none'])
  })

  it('takes a million bytes and no more, whatever length was announced', async () => {
    let size = 1_000_000
    let isEndless = false
    listener = (_request, response) => {
      response.write(Buffer.alloc(size))
      if (!isEndless) response.end()
    }
    expect((await (await get()).arrayBuffer()).byteLength).to.equal(size)
    size += 1
    expect(await errorOf(() => get())).to.equal('service.error.bad_gateway')
    isEndless = true
    expect(await errorOf(() => get())).to.equal('service.error.bad_gateway')
    // that which ends idle connections
    expect(timers.size).to.equal(1)
  })

  for (const [what, begin] of [
    ['answers', false],
    ['ends its answer', true],
  ] as const) {
    it(`gives up on a server that never ${what}`, async () => {
      listener = (_request, response) => {
        if (begin) response.write('x')
        setImmediate(() => {
          for (const run of timers) run()
        })
      }
      expect(await errorOf(() => get())).to.equal('service.error.timeout')
    })
  }

  it('connects to private addresses only where they are fixed or listed', async () => {
    listener = (_request, response) => response.end('x')
    const { port } = server.address() as AddressInfo
    const urls = [
      base,
      `http://localhost:${port}/`,
      `http://127.1:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
    ]
    for (const url of urls) {
      expect(await errorOf(() => get(url, false)), url).to.equal('wamp.error.not_authorized')
    }
    const listing = new CheckedFetch({ clock, policy: hostPolicy(['127.0.0.1']) })
    expect((await listing.fetch(base, {}, false)).status).to.equal(200)
    await listing.close()
  })

  it('never connects to link-local addresses and those of clouds’ metadata', async () => {
    for (const host of ['169.254.169.254', '[fe80::1]', '100.100.100.200', '2852039166']) {
      const error = await errorOf(() => get(`http://${host}/`))
      expect(error, host).to.equal('wamp.error.not_authorized')
    }
  })

  it('fails where nobody answers, and for what is no URL of the web', async () => {
    for (const url of ['http://127.0.0.1:1/', 'x', '/x', 'file:///etc/passwd', 'data:,x']) {
      expect(await errorOf(() => get(url)), url).to.equal('service.error.bad_gateway')
    }
  })
})
