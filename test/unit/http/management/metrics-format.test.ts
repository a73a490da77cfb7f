/** Which format /metrics has for whom. */
import { expect } from 'chai'
import { metricsFormat } from '#http/management/metrics-format.ts'

const cases: readonly (readonly [who: string, accept: string | undefined, format: string])[] = [
  ['nobody in particular', undefined, 'text'],
  ['curl', '*/*', 'text'],
  ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text'],
  [
    'Prometheus 2',
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    'openmetrics',
  ],
  [
    'Prometheus 3',
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1',
    'openmetrics',
  ],
  [
    'Prometheus with scrape_protocols that prefer the text format',
    'text/plain;version=0.0.4;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1',
    'text',
  ],
  ['a client of another version only', 'application/openmetrics-text;version=0.0.1', 'text'],
  ['a client without a version', 'Application/OpenMetrics-Text', 'openmetrics'],
  ['a client that quotes', 'application/openmetrics-text; version="1.0.0"', 'openmetrics'],
  ['a client that refuses it', 'application/openmetrics-text;q=0, text/plain;q=0.1', 'text'],
  ['a client with a broken weight', 'application/openmetrics-text;q=much', 'text'],
  ['a client that accepts neither', 'application/json', 'text'],
]

describe('the format of /metrics', () => {
  for (const [who, accept, format] of cases) {
    it(`is ${format} for ${who}`, () => {
      expect(metricsFormat(accept)).to.equal(format)
    })
  }
})
