/** What loading a realm says of its upstreams. */
import { expect } from 'chai'
import type { InvalidSpecError } from '#component/errors.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'

const uri = 'com.example.test'
const at = '/info/upstreams/it'
const a = { url: 'http://10.0.0.5:8080' }

/** The issues of a load with these upstreams. */
async function issuesOf(upstreams: unknown) {
  const { realms } = await realmsWith()
  try {
    const [loaded] = await realms.load({ uri, info: { upstreams } })
    expect(loaded?.warnings).to.deep.equal([])
    return []
  } catch (error) {
    return (error as InvalidSpecError).issues
  }
}

const many = (count: number, url: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => ({ url: url(index) }))

describe('an upstream', () => {
  for (const [what, upstream] of [
    ['with one target', { targets: [a] }],
    ['with a target under TLS', { targets: [{ url: 'https://billing.internal' }] }],
    ['with targets of one host', { targets: [a, { url: 'http://10.0.0.5:8081' }] }],
    ['with an address of IPv6', { targets: [{ url: 'http://[fd00::1]:80' }] }],
    ['with a comment', { comment: 'old', targets: [{ ...a, comment: 'rack 1' }] }],
    ['with weights', { balance: 'hash', targets: [{ ...a, weight: 0, group: 'x', drain: true }] }],
    [
      'with health',
      { targets: [a], failover: 0, retry_budget: 1, health: { failures: 1, out: 300 } },
    ],
    ['with a path', { targets: [a], base_path: '/api/v2', host_header: 'billing.internal:8443' }],
    [
      'with TLS',
      {
        targets: [a],
        host_header: 'request',
        tls: { ca: { file: '/ca' }, cert: { env: 'A' }, private_key: 'PEM', server_name: 'x' },
      },
    ],
    ['with checks', { targets: [a], health: { active: { path: '/up', status: [204], up: 1 } } }],
    ['with addresses', { targets: [a], addresses: 'each', resolve_interval: 1 }],
    ['with a proxy', { targets: [a], proxy: 'http://proxy.internal:3128' }],
    ['with a proxy by https', { targets: [a], proxy: 'https://proxy.internal' }],
    [
      'with a proxy that asks for a password',
      {
        targets: [a],
        proxy: { url: 'https://proxy', username: 'gw', password: { env: 'P' }, ca: { file: '/c' } },
      },
    ],
    ['with a socket', { targets: [{ url: 'unix:/run/billing/http.sock' }] }],
    ['with a cookie', { targets: [a], sticky: { cookie: 'billing', max_age: 60 } }],
    ['with a backup', { targets: [{ ...a, backup: true, weight: 1000 }] }],
    ['with 64 targets', { targets: many(64, (index) => `http://10.0.0.${index}`) }],
  ] as const) {
    it(`loads: ${what}`, async () => {
      expect(await issuesOf({ it: upstream })).to.deep.equal([])
    })
  }

  for (const [what, upstream, path, message] of [
    ['no map', 'http://10.0.0.5', at, 'expected a map such as {targets}'],
    ['no targets', {}, `${at}/targets`, 'targets is missing: expected the copies of the backend'],
    ['an empty list', { targets: [] }, `${at}/targets`, 'got an empty list'],
    ['an unknown key', { targets: [a], target: 1 }, `${at}/target`, 'expected one of targets, '],
    [
      'an unknown key of a target',
      { targets: [{ ...a, port: 1 }] },
      `${at}/targets/0/port`,
      'url, ',
    ],
    ['a target without url', { targets: [{}] }, `${at}/targets/0/url`, 'url is missing'],
    ['a target twice', { targets: [a, a] }, `${at}/targets/1/url`, 'another target has this url'],
    [
      'a negative weight',
      { targets: [{ ...a, weight: -1 }] },
      `${at}/targets/0/weight`,
      '0 to 1000',
    ],
    ['a weight of 1001', { targets: [{ ...a, weight: 1001 }] }, `${at}/targets/0/weight`, '1000'],
    ['half a weight', { targets: [{ ...a, weight: 0.5 }] }, `${at}/targets/0/weight`, 'an integer'],
    ['a group of two words', { targets: [{ ...a, group: 'a b' }] }, `${at}/targets/0/group`, '64'],
    ['six others', { targets: [a], failover: 6 }, `${at}/failover`, 'from 0 to 5'],
    ['a great budget', { targets: [a], retry_budget: 1.1 }, `${at}/retry_budget`, 'from 0 to 1'],
    [
      'no failures',
      { targets: [a], health: { failures: 0 } },
      `${at}/health/failures`,
      '1 to 1000',
    ],
    ['a long time', { targets: [a], health: { out: 301 } }, `${at}/health/out`, 'from 1 to 300'],
    [
      'an unknown key of health',
      { targets: [a], health: { x: 1 } },
      `${at}/health/x`,
      'failures, ',
    ],
    ['a path without slash', { targets: [a], base_path: 'api' }, `${at}/base_path`, 'a path'],
    ['a URL as host', { targets: [a], host_header: 'http://x' }, `${at}/host_header`, 'no scheme'],
    [
      'a key alone',
      { targets: [a], tls: { private_key: 'x' } },
      `${at}/tls/cert`,
      'cert is missing',
    ],
    ['a list as ca', { targets: [a], tls: { ca: [] } }, `${at}/tls/ca`, 'certificates in PEM'],
    [
      'TLS that is not verified',
      { targets: [a], tls: { verify: false } },
      `${at}/tls/verify`,
      'ca, ',
    ],
    [
      ...['checks without a path', { targets: [a], health: { active: {} } }],
      ...[`${at}/health/active/path`, 'path is missing'],
    ],
    [
      ...['checks of no path', { targets: [a], health: { active: { path: 'x' } } }],
      ...[`${at}/health/active/path`, 'a path'],
    ],
    [
      ...['a status of 600', { targets: [a], health: { active: { path: '/', status: [600] } } }],
      ...[`${at}/health/active/status/0`, '200 to 599'],
    ],
    ['addresses of all', { targets: [a], addresses: 'all' }, `${at}/addresses`, 'any, each'],
    ['no interval', { targets: [a], resolve_interval: 0 }, `${at}/resolve_interval`, '1 to 3600'],
    ['a proxy by socks', { targets: [a], proxy: 'socks5://proxy' }, `${at}/proxy`, 'http://'],
    ['a proxy of a list', { targets: [a], proxy: ['http://p'] }, `${at}/proxy`, 'a proxy'],
    [
      ...['a proxy of no address', { targets: [a], proxy: { username: 'a', password: 'b' } }],
      ...[`${at}/proxy/url`, 'where the proxy is'],
    ],
    [
      ...['a proxy with a name of two'],
      { targets: [a], proxy: { url: 'http://p', username: 'a:b', password: 'c' } },
      ...[`${at}/proxy/username`, 'without colons'],
    ],
    [
      ...['a proxy with an unknown key', { targets: [a], proxy: { url: 'http://p', user: 'a' } }],
      ...[`${at}/proxy/user`, 'expected one of url, username'],
    ],
    [
      'a proxy that is metadata',
      { targets: [a], proxy: 'http://metadata' },
      `${at}/proxy`,
      'link-local',
    ],
    ['a proxy with a password', { targets: [a], proxy: 'http://a:b@proxy' }, `${at}/proxy`, 'host'],
    ['a socket elsewhere', { targets: [{ url: 'unix:x' }] }, `${at}/targets/0/url`, 'not absolute'],
    [
      ...['a socket behind dots', { targets: [{ url: 'unix:/run/a/../docker.sock' }] }],
      ...[`${at}/targets/0/url`, 'not absolute and normal'],
    ],
    [
      'a cookie of two words',
      { targets: [a], sticky: { cookie: 'a b' } },
      `${at}/sticky/cookie`,
      'name',
    ],
    ['a cookie without a name', { targets: [a], sticky: {} }, `${at}/sticky/cookie`, 'is missing'],
    ['an unknown balance', { targets: [a], balance: 'random' }, `${at}/balance`, 'round_robin'],
    ['no scheme', { targets: [{ url: '10.0.0.5' }] }, `${at}/targets/0/url`, 'neither scheme'],
    ['a path', { targets: [{ url: `${a.url}/x` }] }, `${at}/targets/0/url`, 'a valid port'],
    [
      ...['link-local', { targets: [{ url: 'http://169.254.169.254' }] }],
      ...[`${at}/targets/0/url`, 'may not be forwarded to'],
    ],
    [
      ...['metadata by its name', { targets: [{ url: 'http://metadata.google.internal' }] }],
      ...[`${at}/targets/0/url`, 'may not be forwarded to'],
    ],
    [
      ...['65 targets', { targets: many(65, (index) => `http://10.0.0.${index}`) }],
      ...[`${at}/targets`, 'expected 1 to 64 targets, got 65'],
    ],
  ] as [string, unknown, string, string][]) {
    it(`is refused: ${what}`, async () => {
      const [first, ...others] = await issuesOf({ it: upstream })
      expect(others).to.deep.equal([])
      expect(first?.path).to.equal(path)
      expect(first?.message).to.include(message)
    })
  }

  it('never shows what may be a password', async () => {
    const issues = await issuesOf({ it: { targets: [{ url: 'http://me:hidden@10.0.0.5' }] } })
    expect(issues).to.have.lengthOf(1)
    expect(JSON.stringify(issues)).not.to.include('hidden')
  })
})

describe('the upstreams of a realm', () => {
  for (const [what, upstreams, path] of [
    ['a list', [], '/info/upstreams'],
    ['a name with a blank', { 'a b': { targets: [a] } }, '/info/upstreams/a b'],
    ['a name with a slash', { 'a/b': { targets: [a] } }, '/info/upstreams/a~1b'],
    ['a long name', { ['x'.repeat(65)]: { targets: [a] } }, `/info/upstreams/${'x'.repeat(65)}`],
    [
      'more than 256',
      Object.fromEntries(
        Array.from({ length: 257 }, (_, index) => [`u${index}`, { targets: [a] }]),
      ),
      '/info/upstreams',
    ],
  ] as const) {
    it(`are refused: ${what}`, async () => {
      const issues = await issuesOf(upstreams)
      expect(issues.map((issue) => issue.path)).to.deep.equal([path])
    })
  }

  it('have names of every kind, secrets too', async () => {
    const names = ['token', 'api_key', 'A.b-c_1', 'password']
    const { realms } = await realmsWith()
    const upstreams = Object.fromEntries(names.map((name) => [name, { targets: [a] }]))
    await realms.load({ uri, info: { upstreams } })
    expect(realms.get(uri).info).to.deep.equal({ upstreams })
  })
})
