/** Rate limits and conditional requests of a running gateway, by curl and over sockets. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

const run = promisify(execFile)
const response = { on_result: {}, on_error: {} }
const answer = { total: 7 }

const document = {
  ...{ id: 'policies', host: '_', realm_uri: 'com.example.test' },
  versions: {
    one: {
      base_path: '/policies',
      paths: {
        '/limited': {
          rate_limit: { name: 'three', amount: 3, window: 3600 },
          get: { action: { type: 'static', body: answer }, response },
        },
        '/tagged/:id': {
          etag: true,
          get: {
            action: { type: 'static', body: { id: '{{request.bindings.id}}' } },
            response,
          },
        },
      },
    },
  },
}

describe('the policies of a running gateway', () => {
  let gateway: TestGateway
  let folder: string

  before(async () => {
    gateway = await startGateway({}, { isEmbedded: true })
    folder = await mkdtemp(join(tmpdir(), 'policies-'))
    await gateway.load(document)
  })
  after(async () => {
    await gateway?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('refuse with 429 what a rate limit does not allow, keep count across a reload, and are counted', async () => {
    const ask = () => send(gateway.url, '/policies/limited')
    const statuses = [(await ask()).status, (await ask()).status]
    await gateway.load({ ...document, meta: { reloaded: true } })
    statuses.push((await ask()).status, (await ask()).status)
    expect(statuses).to.deep.equal([200, 200, 200, 429])
    const refused = await ask()
    expect(refused.headers).to.include({
      'ratelimit-policy': '"three";q=3;w=3600',
      ratelimit: '"three";r=0;t=3600',
    })
    // 1,200 s and up to a tenth more
    expect(Number(refused.headers['retry-after'])).to.be.within(1199, 1321)
    expect(refused.json()).to.include({ code: 'service.error.too_many_requests' })
    const metrics = (await send(gateway.adminUrl, '/metrics')).text
    expect(metrics).to.match(/^gateway_limit_used\{limit="limits\.rate_limit_keys"\} 1$/m)
    expect(metrics).to.match(
      /^gateway_rate_limited_total\{api="policies",version="one",route="\/policies\/limited",limit="three",mode="enforce"\} 2$/m,
    )
  })

  it('send a body once to curl --etag-compare', async () => {
    const [tag, body] = [join(folder, 'tag'), join(folder, 'body')]
    const url = `${gateway.url}/policies/tagged/7`
    const options = ['-sS', '-o', body, '-w', '%{http_code} %{size_download}', url]
    const first = await run('curl', ['--etag-save', tag, ...options])
    expect(first.stdout).to.equal('200 10')
    expect(await readFile(body, 'utf8')).to.equal('{"id":"7"}')
    await writeFile(body, '')
    const second = await run('curl', ['--etag-compare', tag, ...options])
    expect(second.stdout).to.equal('304 0')
  })

  it('tell the length of the body that GET would have to HEAD', async () => {
    const get = await send(gateway.url, '/policies/tagged/7')
    const head = await send(gateway.url, '/policies/tagged/7', { method: 'HEAD' })
    const told = ({ headers }: typeof get) => [headers.etag, headers['content-length']]
    expect(told(head)).to.deep.equal(told(get))
    expect(head.text).to.equal('')
  })
})
