import { expect } from 'chai'
import { collectorUrl } from '#component/telemetry/otlp/collector-url.ts'

const traces = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
const all = 'OTEL_EXPORTER_OTLP_ENDPOINT'

describe('the URL of the collector', () => {
  const rows = [
    { title: 'is on this machine by default', url: 'http://127.0.0.1:4318/v1/traces' },
    {
      title: 'has its path added',
      endpoint: 'https://c.example',
      url: 'https://c.example/v1/traces',
    },
    {
      title: 'may have a path before',
      endpoint: 'https://c.example/a/',
      url: 'https://c.example/a/v1/traces',
    },
    { title: 'may have the path', endpoint: 'http://c:1/v1/traces/', url: 'http://c:1/v1/traces' },
    {
      title: 'is taken from the environment',
      environment: { [all]: 'http://env:1/' },
      url: 'http://env:1/v1/traces',
    },
    {
      title: 'of traces is taken as it stands',
      environment: { [all]: 'http://no', [traces]: 'http://env:1/own' },
      url: 'http://env:1/own',
    },
    {
      title: 'of the configuration wins',
      endpoint: 'http://c',
      environment: { [traces]: 'http://env' },
      url: 'http://c/v1/traces',
    },
    {
      title: 'is not taken from an empty variable',
      environment: { [traces]: '' },
      url: 'http://127.0.0.1:4318/v1/traces',
    },
  ]
  for (const { title, endpoint, environment = {}, url } of rows) {
    it(title, () => expect(collectorUrl(endpoint, environment)).to.equal(url))
  }

  for (const value of ['127.0.0.1:4318', 'grpc://c:4317', 'nonsense']) {
    it(`is refused where a variable is ${value}`, () => {
      expect(() => collectorUrl(undefined, { [all]: value })).to.throw(
        `${all}: must be a URL of http or https`,
      )
    })
  }
})
