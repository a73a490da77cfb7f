/** The configuration: sources and their order, defaults, refusals by name, masking, and the printed page. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { ConfigError, clusterKey, optionVariables, readConfig } from '#component/config/config.ts'
import { configurationPage } from '#component/config/config-docs.ts'
import { configSchema } from '#component/config/config-schema.ts'
import { maskConfig } from '#component/config/mask-config.ts'
import { memberOf } from '#component/syntax/values.ts'

const folder = mkdtempSync(join(tmpdir(), 'gateway-config-'))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('configSchema', () => {
  it('is a JSON Schema', () => {
    const ajv = new Ajv2020({ strictTypes: false, strictTuples: false, allowUnionTypes: true })
    expect(ajv.validateSchema(configSchema), ajv.errorsText()).to.equal(true)
    // the strict mode knows every keyword
    ajv.compile(configSchema)
  })
})

describe('readConfig', () => {
  it('completes an empty configuration with the defaults', () => {
    const config = readConfig(undefined, {})
    expect(config.gateway.listen).to.equal('127.0.0.1:18080')
    expect(config.admin.listen).to.equal('127.0.0.1:18081')
    expect(config.admin.share_gateway_listener).to.equal('auto')
    expect(config.wamp.realm).to.equal('service.gateway')
    expect(config.wamp.call_timeout).to.equal(30_000)
    expect(config.wamp.url).to.equal(undefined)
    expect(config.workers).to.equal(1)
    expect(config.log.access).to.equal(true)
    expect(Object.isFrozen(config.gateway)).to.equal(true)
  })

  for (const [listen, isTaken] of [
    ['80', true],
    ['"[::1]:82"', true],
    [':65535', true],
    ['0.0.0.0:65536', false],
    ['99999', false],
    ['localhost', false],
    ['a:b', false],
    ['[1, "::1:2"]', true],
    ['[1, 70000]', false],
  ] as const)
    it(`${isTaken ? 'takes' : 'refuses'} gateway.listen=${listen}, beside whatever else is wrong`, () => {
      const read = () => readConfig(undefined, {}, { 'gateway.listen': listen, workers: '0' })
      const told =
        'option "gateway.listen": must be host:port or port, with a port up to 65535, or a list of these'
      const workers = 'option "workers": must be >= 1'
      expect(read)
        .to.throw(ConfigError)
        .with.property('message')
        .that.satisfies((message: string) => {
          const lines = message.split('\n')
          return lines.includes(workers) && lines.includes(told) !== isTaken
        })
    })

  const noUrl = 'must be a URL with http or https, without credentials'
  for (const [url, problem] of [
    ['https://grafana.example.com/d/wamp-gateway', undefined],
    ['http://127.0.0.1:3000/d/x?var-job=a@b', undefined],
    ['javascript:alert(1)', noUrl],
    ['grafana.example.com', noUrl],
    ['https://', noUrl],
    ['https://joe:secret@grafana.example.com/', noUrl],
    ['https://grafana.example.com:99999/', 'its host or its port is not one of a URL'],
    ['https://[::1/', 'its host or its port is not one of a URL'],
  ] as const)
    it(`${problem ? 'refuses' : 'takes'} admin.grafana=${url}`, () => {
      const read = () => readConfig(undefined, {}, { 'admin.grafana': url })
      if (problem === undefined) expect(read().admin.grafana).to.equal(url)
      else {
        const told = `option "admin.grafana": ${problem}`
        expect(read).to.throw(ConfigError).with.property('message', told)
      }
    })

  it('lets the environment override the file, and flags override both', () => {
    const path = file('a.yaml', 'wamp: { realm: from.file, call_timeout: 1 }\nnode: from-file\n')
    const config = readConfig(
      path,
      { GATEWAY_WAMP__REALM: 'from.env', GATEWAY_NODE: '007', HOME: '/nowhere' },
      { 'wamp.realm': 'from.flag' },
    )
    expect(config.wamp).to.include({ realm: 'from.flag', call_timeout: 1 })
    expect(config.node).to.equal('007')
  })

  it('reads JSON, lists and secrets kept in files', () => {
    const secret = file('secret', 'swordfish\n')
    const auth = { authmethod: 'ticket', authid: 'gateway', secret: { file: secret } }
    const config = readConfig(file('a.json', JSON.stringify({ wamp: { auth } })), {
      GATEWAY_SPECS: '[a.json, b.json]',
    })
    expect(config.wamp.auth?.secret).to.equal('swordfish')
    expect(config.specs).to.deep.equal(['a.json', 'b.json'])
    expect(JSON.stringify(maskConfig(config))).to.not.include('swordfish')
  })

  it('takes a secret of the environment or of a flag as it was typed', () => {
    for (const secret of ['123456', 'true', 'p@ss #1', '#x', 'a: b', '[x']) {
      const settings = { 'wamp.auth.authmethod': 'ticket', 'wamp.auth.secret': secret }
      expect(readConfig(undefined, {}, settings).wamp.auth?.secret).to.equal(secret)
    }
    const { wamp } = readConfig(undefined, {
      GATEWAY_WAMP__AUTH__AUTHMETHOD: 'ticket',
      GATEWAY_WAMP__AUTH__SECRET__FILE: file('typed', 'swordfish'),
    })
    expect(wamp.auth?.secret).to.equal('swordfish')
  })

  it('takes an option that may be a list as it was typed, unless it is a list or quoted', () => {
    for (const [typed, value] of [
      ['*', '*'],
      ['', ''],
      ["''", ''],
      ['https://a.example', 'https://a.example'],
      ['["https://a.example", http://b:3000]', ['https://a.example', 'http://b:3000']],
      ['- https://a.example', ['https://a.example']],
    ] as const) {
      const { gateway } = readConfig(undefined, { GATEWAY_GATEWAY__CORS__ALLOW_ORIGIN: typed })
      expect(gateway.cors.allow_origin, typed).to.deep.equal(value)
    }
  })

  it('names the variable of the environment that set a wrong option', () => {
    expect(() => readConfig(undefined, { GATEWAY_PORT: '8080' })).to.throw(
      ConfigError,
      'unknown option "port" (set by GATEWAY_PORT)',
    )
    expect(() => readConfig(undefined, { GATEWAY_LOG__LEVEL: 'loud' })).to.throw(
      ConfigError,
      '(set by GATEWAY_LOG__LEVEL)',
    )
  })

  it('ignores what Kubernetes sets for Services named gateway and gateway-…', () => {
    const ofService = {
      GATEWAY_SERVICE_HOST: '10.0.0.1',
      GATEWAY_SERVICE_PORT: '8080',
      GATEWAY_SERVICE_PORT_HTTP: '8080',
      GATEWAY_PORT: 'tcp://10.0.0.1:8080',
      GATEWAY_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
      GATEWAY_PORT_8080_TCP_PROTO: 'tcp',
      GATEWAY_PORT_8080_TCP_PORT: '8080',
      GATEWAY_PORT_8080_TCP_ADDR: '10.0.0.1',
      GATEWAY_PORT_53_UDP: 'udp://10.0.0.1:53',
      GATEWAY_ADMIN_SERVICE_HOST: '10.0.0.2',
      GATEWAY_ADMIN_PORT: 'tcp://10.0.0.2:8081',
    }
    expect(readConfig(undefined, ofService)).to.deep.equal(readConfig(undefined, {}))
    const own: [string, string] = ['GATEWAY_WORKERS', '2']
    expect(optionVariables({ ...ofService, [own[0]]: own[1] })).to.deep.equal([own])
  })

  it('has no option that is named like what Kubernetes sets', () => {
    const page = configurationPage()
    for (const [, key = ''] of page.matchAll(/^\| `([^`]+)` \|/gm)) {
      const name = `GATEWAY_${key.replaceAll('.', '__').toUpperCase()}`
      expect(optionVariables({ [name]: 'tcp://10.0.0.1:1' }), name).to.have.length(1)
    }
  })

  it('names the option whose value is no YAML', () => {
    expect(() => readConfig(undefined, { GATEWAY_SPECS: '[a' })).to.throw(
      ConfigError,
      'option "specs": the value is not valid YAML',
    )
  })

  it('reads a list of listeners with bare ports among them', () => {
    const config = readConfig(
      file('listen.yaml', 'gateway: { listen: [18080, "[::1]:18080"] }'),
      {},
    )
    expect(config.gateway.listen).to.deep.equal([18080, '[::1]:18080'])
  })

  it('masks the password of a URL, whatever else is wrong with it', () => {
    for (const url of [
      'postgres://user:tunafish@db/app',
      'postgres://user:tuna#fish@db/app',
      'postgres://user:1/tunafish@db/app',
      'postgres://user:tuna@fish@db:port/app',
      'postgres:user:tunafish@db',
      'postgres://user@db/app?password=tunafish&ssl=true',
    ]) {
      const config = readConfig(undefined, { GATEWAY_STORE__URL: url })
      expect(JSON.stringify(maskConfig(config)), url).to.not.match(/tuna|fish/)
    }
    for (const url of ['ws://[::1]:8080/ws', 'postgres://user@db:5432/app', 'sqlite:data/a.db']) {
      expect(maskConfig(url)).to.equal(url)
    }
  })

  it('looks for it in one pass: 500,000 slashes are no work', () => {
    const url = `x:${'/'.repeat(500_000)}`
    expect(maskConfig(url)).to.equal(url)
  })

  for (const [text, message] of [
    ['wamp: { ulr: x }', 'unknown option "wamp.ulr"'],
    ['nodes: x', 'unknown option "nodes"; did you mean "node"?'],
    ['gateway: { lisen: 1 }', 'unknown option "gateway.lisen"; did you mean "gateway.listen"?'],
    ['log: { level: loud }', 'option "log.level": must be one of "trace", "debug"'],
    ['wamp: { url: "ws://x/ws", identity: forwarded }', '"forwarded" needs wamp.auth'],
    ['wamp: { url: [] }', 'option "wamp.url": must be one of string, array'],
    ['wamp: { url: 8080 }', 'option "wamp.url": must be one of string, array'],
    ['wamp: { url: http://x/ws }', 'option "wamp.url": must be a ws: or wss: URL'],
    [
      'wamp: { url: [ws://x/ws, "unix:/a", "rs://joe:secret@y:1"] }',
      'option "wamp.url.2": must be a ws: or wss: URL',
    ],
    [
      'wamp: { url: [ws://x/ws, wss://y/ws, 7] }',
      'option "wamp.url": must be one of string, array',
    ],
    ['wamp: { url: [ws://x/ws, ws://x/ws] }', 'option "wamp.url.1": stands in the list before'],
    ['{ wamp: { url: [ws://x] }, router: { listen: 1 } }', 'option "router.listen": cannot be'],
    ['workers: 0', 'option "workers": must be >= 1'],
    ['workers: 65', 'option "workers": must be <= 64'],
    ['wamp: { call_timeout: soon }', 'option "wamp.call_timeout": must be integer'],
    ['gateway: { listen: { port: 1 } }', 'option "gateway.listen": must be host:port'],
    ['[a, b]', 'expected a map of options'],
    ['a: [', 'configuration file'],
  ] as const) {
    it(`refuses ${text}`, () => {
      expect(() => readConfig(file('wrong.yaml', text), {})).to.throw(ConfigError, message)
    })
  }

  it('reads one router or a list of them, also from the environment, and shows no credentials', () => {
    const read = (text: string) => {
      const { wamp } = readConfig(undefined, { GATEWAY_WAMP__URL: text })
      return [wamp.url, memberOf(maskConfig(wamp), 'url')]
    }
    const [one, more] = ['ws://x/ws', 'wss://joe:secret@y:8080/ws?ticket=secret']
    expect(read(one)).to.deep.equal([one, one])
    expect(read(`[${one}, '${more}']`)).to.deep.equal([
      [one, more],
      [one, 'wss://y:8080/ws'],
    ])
  })

  it('forwards on the embedded router, and with wamp.auth on another one', () => {
    const auth = 'auth: { authmethod: wampcra, authid: gateway, secret: s }'
    for (const more of ['', `, url: "ws://x/ws", ${auth}`]) {
      const { wamp } = readConfig(file('right.yaml', `wamp: { identity: forwarded${more} }`), {})
      expect(wamp.identity).to.equal('forwarded')
    }
  })

  it('names every wrong option at once', () => {
    const path = file('wrong.yaml', 'a: 1\nb: 2\nlog: { access: maybe }')
    expect(() => readConfig(path, {}))
      .to.throw(ConfigError)
      .with.property('message')
      .that.satisfies((message: string) => message.split('\n').length === 3)
  })

  it('says so when the file is missing', () => {
    expect(() => readConfig(join(folder, 'none.yaml'), {})).to.throw(ConfigError, 'none.yaml')
  })
})

describe('clusterKey', () => {
  const url = { 'wamp.url': 'ws://router/ws' }
  const key = '1234567890123456'

  it('is what was typed, or what the file says, and is shown by no log', () => {
    for (const settings of [
      { 'cluster.key': key },
      { 'cluster.key.file': file('key', `${key}\n`) },
      { 'cluster.key': key, ...url },
    ]) {
      const config = readConfig(undefined, {}, settings)
      expect(clusterKey(config)).to.equal(key)
      expect(JSON.stringify(maskConfig(config))).to.not.include(key)
    }
  })

  it('is another one each time on the embedded router', () => {
    const config = readConfig(undefined, {})
    expect(clusterKey(config)).to.have.length(64)
    expect(clusterKey(config)).to.not.equal(clusterKey(config))
  })

  it('is needed on a router that others may share', () => {
    expect(() => clusterKey(readConfig(undefined, {}, url))).to.throw(
      ConfigError,
      'option "cluster.key": required with wamp.url',
    )
  })

  it('is not short, wherever it is used', () => {
    for (const settings of [{}, url]) {
      const config = readConfig(undefined, {}, { ...settings, 'cluster.key': key.slice(1) })
      expect(() => clusterKey(config)).to.throw(ConfigError, 'at least 16 characters')
    }
  })
})

describe('docs/configuration.md', () => {
  it('is what the schema prints', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8')
    expect(page).to.equal(configurationPage())
  })
})
