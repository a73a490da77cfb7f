/** The section `telemetry`: what it takes, what it refuses by name, and what no log shows of it. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { changedOptions } from '#component/config/changed-options.ts'
import { ConfigError, configOf, readConfig } from '#component/config/config.ts'
import { maskConfig } from '#component/config/mask-config.ts'

const telemetryOf = (settings: Readonly<Record<string, string>>) =>
  readConfig(undefined, {}, settings).telemetry

describe('the section telemetry', () => {
  it('records and believes nothing by default', () => {
    const { telemetry } = configOf({})
    expect(telemetry).to.deep.equal({
      traces: 'off',
      sample: 0.05,
      trust: 'proxies',
      enduser: false,
      resource: {},
    })
  })

  it('takes the options as they are typed', () => {
    const taken = telemetryOf({
      'telemetry.traces': 'otlp',
      'telemetry.endpoint': 'https://collector.example:4318/base',
      'telemetry.sample': '1',
      'telemetry.trust': 'all',
      'telemetry.resource': '{ service.name: shop, replicas: 3, canary: true }',
    })
    expect(taken).to.deep.include({ traces: 'otlp', sample: 1, trust: 'all' })
    expect(taken.endpoint).to.equal('https://collector.example:4318/base')
    expect(taken.resource).to.deep.equal({ 'service.name': 'shop', replicas: 3, canary: true })
  })

  for (const [option, value, problem] of [
    ['traces', 'on', 'must be one of "off", "propagate", "otlp"'],
    ['endpoint', 'collector:4318', 'must be an http or https URL without credentials and query'],
    ['endpoint', 'http://me:tuna@c:1', 'must be an http or https URL'],
    ['endpoint', 'http://c:1/?key=tuna', 'must be an http or https URL'],
    ['sample', '5', 'must be <= 1'],
    ['sample', '-1', 'must be >= 0'],
    ['sample', 'all', 'must be number'],
    ['trust', 'proxy', 'must be one of "none", "proxies", "all"'],
    ['resource', '{ a: [tuna] }', 'must be one of string, number, boolean'],
  ] as const) {
    it(`refuses ${option} ${value}`, () => {
      const read = () => telemetryOf({ [`telemetry.${option}`]: value })
      expect(read).to.throw(ConfigError, `option "telemetry.${option}`)
      expect(read).to.throw(problem).with.property('message').that.does.not.include('tuna')
    })
  }

  it('hints at the option that was meant', () => {
    expect(() => telemetryOf({ 'telemetry.trace': 'off' })).to.throw('"telemetry.traces"')
  })

  it('reads header fields as text or by name, from files too, and no log shows them', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'gateway-telemetry-')), 'key')
    writeFileSync(file, 'swordfish\n')
    for (const [headers, read] of [
      ['x-key=swordfish', 'x-key=swordfish'],
      [{ 'x-key': 'swordfish' }, { 'x-key': 'swordfish' }],
      [{ 'x-key': { file } }, { 'x-key': 'swordfish' }],
      [{ file }, 'swordfish'],
    ] as const) {
      const config = configOf({ telemetry: { headers } })
      expect(config.telemetry.headers).to.deep.equal(read)
      expect(JSON.stringify(maskConfig(config)))
        .to.include('[masked]')
        .and.not.include('swordf')
      expect(JSON.stringify(changedOptions(config)))
        .to.include('headers')
        .and.not.include('swordf')
    }
  })
})
