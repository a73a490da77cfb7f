/** Which WAMP options pass. */
import { inspect } from 'node:util'
import { expect } from 'chai'
import { callOptions, passOptions, publishOptions } from '#component/action/options.ts'

describe('the options of a call', () => {
  for (const [given, passed] of [
    [undefined, {}],
    [null, {}],
    ['', {}],
    [{}, {}],
    [{ disclose_me: true, eligible_authrole: 'x' }, { disclose_me: true }],
    [
      { timeout: 500, rkey: 'a' },
      { timeout: 500, rkey: 'a' },
    ],
    [
      { receive_progress: false, _trace: [1] },
      { receive_progress: false, _trace: [1] },
    ],
    [{ caller: 5, caller_authid: 'admin', acknowledge: 'x' }, {}],
    [{ constructor: 1, toString: 1 }, {}],
    [{ _traceparent: '00-1-2-01', _tracestate: 'a=1', _other: 1 }, { _other: 1 }],
  ] as const) {
    it(`${JSON.stringify(given)} pass as ${JSON.stringify(passed)}`, () => {
      expect(passOptions(given, callOptions)).to.deep.equal(passed)
    })
  }
  for (const given of [
    { timeout: 'a' },
    { timeout: -1 },
    { timeout: 1.5 },
    { timeout: 1e30 },
    { timeout: 10n ** 30n },
    { rkey: 2n ** 64n },
    { disclose_me: 1 },
    { disclose_me: null },
    { rkey: {} },
    [],
    'text',
    5,
  ]) {
    it(`${inspect(given)} are refused`, () => {
      expect(() => passOptions(given, callOptions))
        .to.throw()
        .with.property('uri', 'wamp.error.option_not_allowed')
    })
  }
})

describe('the options of a publication', () => {
  it('are those of behaviour §4', () => {
    const all = {
      acknowledge: false,
      disclose_me: true,
      eligible: [1],
      eligible_authid: ['a'],
      eligible_authrole: ['r'],
      exclude: [2],
      exclude_authid: [],
      exclude_authrole: ['q'],
      exclude_me: false,
      retain: true,
      _x: null,
    }
    expect(
      passOptions({ ...all, timeout: 'dropped', ppt_scheme: 1 }, publishOptions),
    ).to.deep.equal(all)
  })
  for (const given of [{ exclude: ['1'] }, { eligible_authid: 'a' }, { retain: 'true' }]) {
    it(`${JSON.stringify(given)} are refused`, () => {
      expect(() => passOptions(given, publishOptions))
        .to.throw()
        .with.property('uri', 'wamp.error.option_not_allowed')
    })
  }
})
