import { expect } from 'chai'
import { resourceAttributes } from '#component/telemetry/otlp/resource.ts'

const known = { node: 'node-1', version: '1.2.3', host: 'machine', pid: 17 }
const attributesOf = (
  configured: Record<string, string | number | boolean> = {},
  environment: Record<string, string> = {},
) => resourceAttributes(configured, environment, known)

describe('the attributes of the gateway', () => {
  it('say which process sends', () => {
    expect(attributesOf()).to.deep.equal({
      'service.name': 'wamp-gateway',
      'service.version': '1.2.3',
      'service.instance.id': 'node-1',
      'host.name': 'machine',
      'process.pid': 17,
    })
  })

  it('are taken from the configuration, then OTEL_SERVICE_NAME, then OTEL_RESOURCE_ATTRIBUTES', () => {
    const environment = {
      OTEL_SERVICE_NAME: 'of-name',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=of-attributes, team=a%20b ,host.name=h,x=1=2',
    }
    expect(attributesOf({}, environment)).to.include({
      ...{ 'service.name': 'of-name', team: 'a b', 'host.name': 'h', x: '1=2' },
    })
    expect(attributesOf({ 'service.name': 'own', team: 1 }, environment)).to.include({
      ...{ 'service.name': 'own', team: 1, 'host.name': 'h' },
    })
  })

  for (const text of ['team', '=a', 'team=%zz']) {
    it(`are refused where OTEL_RESOURCE_ATTRIBUTES is ${text}`, () => {
      expect(() => attributesOf({}, { OTEL_RESOURCE_ATTRIBUTES: text })).to.throw(
        /^OTEL_RESOURCE_ATTRIBUTES: must be/,
      )
    })
  }
})
