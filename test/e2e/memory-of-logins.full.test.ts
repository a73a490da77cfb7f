/** Passwords take 19 MiB each while they are checked: a gateway gives that back when nobody logs in any more. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { npmStart, type StartedGateway } from '#test/support/npm-start.ts'
import { until } from '#test/support/running/until.ts'

/** `LOGINS=1000` for the long form. */
const logins = Number(process.env.LOGINS ?? 60)

/** What an idle gateway may hold, with all of its users loaded and those logins behind it; MB. */
const most = 180

const realm = {
  uri: 'com.example.logins',
  authmethods: ['anonymous', 'wampcra', 'oauth2'],
  users: Array.from({ length: 12 }, (_, index) => ({
    username: `client-${index}`,
    password: `secret-${index}`,
    groups: ['api_clients'],
  })),
  sources: [{ usernames: 'all', authmethod: 'wampcra', cidr: '0.0.0.0/0' }],
}

const document = {
  id: 'com.example.logins',
  host: '_',
  realm_uri: realm.uri,
  defaults: { schemes: ['http'], security: { type: 'oauth2', flow: 'client_credentials' } },
  versions: { 1: { base_path: '/v1', paths: {} } },
}

const memoryOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

describe('a gateway at which many have logged in', function () {
  this.timeout(300_000)
  let gateway: StartedGateway
  const folder = mkdtempSync(join(tmpdir(), 'gateway-logins-'))

  before(async () => {
    // the first start after a change of the code compiles it, and holds 25 MB more
    await (await npmStart({ data_dir: folder, workers: '1' })).stop()
    gateway = await npmStart({ data_dir: folder, workers: '1' })
    for (const [path, body] of [
      ['/realms', realm],
      ['/api_specs', document],
    ] as const) {
      const answer = await fetch(`${gateway.adminUrl}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect(answer.status, await answer.text()).to.equal(201)
    }
  })

  after(async () => {
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function login(index: number): Promise<void> {
    const credentials = Buffer.from(`client-${index % 12}:secret-${index % 12}`).toString('base64')
    const answer = await fetch(`${gateway.url}/v1/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    expect(answer.status, await answer.text()).to.equal(200)
  }

  it(`holds at most ${most} MB when it is idle again`, async () => {
    let next = 0
    const one = async () => {
      while (next < logins) await login(next++)
    }
    await Promise.all(Array.from({ length: 8 }, one))
    const isIdle = () => memoryOf(gateway.pid) <= most
    // the collections of a quiet process come within 64 s
    await until('memory comes back', isIdle, 100_000).catch(() => undefined)
    expect(memoryOf(gateway.pid)).to.be.at.most(most)
  })
})
