/** The header fields of requests to the collector: what is read, and what is refused without a word of a value. */
import { expect } from 'chai'
import { ConfigError, configOf } from '#component/config/config.ts'
import { collectorHeaders } from '#component/wiring/telemetry/collector-headers.ts'

const headersOf = (headers: unknown) =>
  collectorHeaders(configOf({ telemetry: { headers } }).telemetry.headers)

describe('collectorHeaders', () => {
  for (const [what, headers, read] of [
    ['nothing', undefined, undefined],
    ['a map', { 'x-key': 'a=b, c' }, { 'x-key': 'a=b, c' }],
    ['a text', 'x-key=a%20b,other=c=d', { 'x-key': 'a b', other: 'c=d' }],
  ] as const) {
    it(`reads ${what}`, () => {
      expect(headersOf(headers)).to.deep.equal(read)
    })
  }

  for (const [what, headers, problem] of [
    ['a text without names', 'tuna', 'option "telemetry.headers": must be name=value'],
    ['a name with a blank', { 'x key': 'tuna' }, 'option "telemetry.headers": a name is no token'],
    ['a line break', { 'x-key': 'tu\nna' }, 'option "telemetry.headers.x-key": there is a control'],
    ['an encoded line break', 'x-key=tu%0Ana', 'option "telemetry.headers.x-key": there is a'],
  ] as const) {
    it(`refuses ${what}`, () => {
      const read = () => headersOf(headers)
      expect(read).to.throw(ConfigError, problem)
      expect(read)
        .to.throw()
        .with.property('message')
        .that.does.not.match(/tu|na$/)
    })
  }
})
