/** What validation warns about: unknown keys, and what is accepted but not served. */
import { expect } from 'chai'
import { validateSpec } from '#component/spec/validate.ts'
import { makeDocument, withValue } from './document.ts'

const path = '/versions/1/paths/~1x'

describe('warnings', () => {
  for (const [at, value, hint] of [
    ['/realmuri', 'x', 'realm_uri'],
    ['/realm', 'x', 'realm_uri'],
    ['/x-mine', 1, undefined],
    ['/defaults/timeut', 1, 'timeout'],
    ['/versions/1/basepath', 'x', 'base_path'],
    ['/versions/1/info/titel', 'x', 'title'],
    [`${path}/GET`, {}, 'get'],
    [`${path}/sumary`, 'x', 'summary'],
    [`${path}/get/acton`, {}, 'action'],
    [`${path}/get/action/bdy`, '', 'body'],
    [`${path}/put/action/metod`, 'get', undefined],
    [`${path}/post/action/procedur`, 'x', 'procedure'],
    [`${path}/get/response/on_eror`, {}, 'on_error'],
    [`${path}/get/response/on_result/satus_code`, 200, 'status_code'],
    [`${path}/get/response/on_result/status`, 200, 'status_code'],
  ] as const) {
    it(`${at} is unknown${hint ? `; did you mean ${hint}?` : ''}`, () => {
      const { issues, warnings } = validateSpec(withValue(at, value))
      expect(issues).to.deep.equal([])
      expect(warnings.map((warning) => warning.path)).to.deep.equal([at])
      const [message] = warnings.map((warning) => warning.message)
      if (hint) expect(message).to.include(`did you mean ${hint}?`)
      else expect(message).to.not.include('did you mean')
    })
  }

  for (const [at, home] of [
    [`${path}/is_active`, 'a version'],
    [`${path}/get/pool_size`, 'a version'],
    ['/deprecated_at', 'a path, a version, and an operation'],
    ['/base_path', 'a version'],
    ['/versions/1/host', 'the API Specification'],
    ['/versions/1/sunset', 'a path, an operation, and info'],
    [`${path}/action`, 'an operation'],
    [`${path}/get/on_error`, 'a response'],
    [`${path}/get/response/status_code`, 'on_result or on_error'],
    ['/versions/1/timeout', 'a path, an operation, and defaults'],
    [`${path}/get/headers`, 'a path, defaults, and on_result or on_error'],
  ] as const) {
    it(`${at} is a key of ${home}`, () => {
      const { warnings } = validateSpec(withValue(at, 'x'))
      const key = at.slice(at.lastIndexOf('/') + 1)
      const message = `the key "${key}" is unknown and is ignored; it is a key of ${home}`
      expect(warnings).to.deep.equal([{ path: at, message }])
    })
  }

  it('name no level for a key of an action, which may have a meaning of its own', () => {
    const { warnings } = validateSpec(withValue(`${path}/put/action/status_code`, 200))
    expect(warnings[0]?.message).to.equal('the key "status_code" is unknown and is ignored')
  })

  for (const [at, value, pointer, words] of [
    [`${path}/security`, { type: 'oauth2', flow: 'implicit' }, `${path}/security/flow`, 'no grant'],
    [
      '/defaults/security',
      { type: 'oauth2', flow: 'authorization_code' },
      '/defaults/security/flow',
      'no grant',
    ],
    ['/versions/1/info', { sunset: 'soon' }, '/versions/1/info/sunset', 'not a date'],
    [
      `${path}/get/defaults`,
      { headers: { 'x-a': 'b' } },
      `${path}/get/defaults/headers`,
      'unknown and is ignored',
    ],
    ['/versions/1/info', { sunset: 'version 3' }, '/versions/1/info/sunset', 'not a date'],
    [
      `${path}/post/action/options`,
      { _traceparent: 'x', _mine: 1 },
      `${path}/post/action/options/_traceparent`,
      'only the gateway sets',
    ],
    ['/versions/1/info', { sunset: '2027' }, '/versions/1/info/sunset', 'not a date'],
  ] as const) {
    it(`${JSON.stringify(value)} at ${at}: ${words}`, () => {
      const { issues, warnings } = validateSpec(withValue(at, value))
      expect(issues).to.deep.equal([])
      expect(warnings).to.have.length(1)
      expect(warnings[0]?.path.startsWith(pointer)).to.equal(true)
      expect(warnings[0]?.message).to.include(words)
    })
  }

  it('are not more than a thousand', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, 1]))
    expect(validateSpec({ ...makeDocument(), ...many }).warnings).to.have.length(1000)
  })
})
