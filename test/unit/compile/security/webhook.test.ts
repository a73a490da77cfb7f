/** What a load says of operations under `webhook`. */
import { expect } from 'chai'
import { compileSpec } from '#component/compile/compile.ts'
import type { WebhookScheme } from '#component/realm/documents/info/webhook-rules.ts'
import type { ApiSpec } from '#component/spec/model.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { call, documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'

const schemes: Readonly<Record<string, WebhookScheme>> = { hub: 'github', pay: 'stripe' }

/** All that is said of a document with this path. */
function load(path: object, more: object = {}) {
  const { spec, issues, warnings } = validateSpec(documentOf({ '/x': path }, more))
  const compiled = compileSpec(spec as ApiSpec, {
    callTimeout: 30_000,
    schemeOfSender: (_realm, name) => schemes[name],
  })
  return {
    issues: [...issues, ...compiled.issues],
    warnings: [...warnings, ...compiled.warnings],
    features: compiled.api?.features,
  }
}

const at = '/versions/1.0/paths/~1x'
const hub = { type: 'webhook', sender: 'hub' }
const post = fixed('{{security.sender}} {{security.webhook_id}} {{security.webhook_timestamp}}')

describe('security webhook of a document', () => {
  it('is a feature that a gateway must know, and has members that expressions read', () => {
    const found = load({ security: hub, post })
    expect(found).to.deep.equal({ issues: [], warnings: [], features: ['webhook'] })
    expect(load({ post }, { defaults: { security: hub } }).features).to.deep.equal(['webhook'])
    expect(load({ post: fixed() }).features).to.deep.equal([])
  })

  it('has members that other security does not have', () => {
    const { warnings } = load({
      security: { type: 'basic' },
      post: fixed('{{security.webhook_id}}'),
    })
    expect(warnings[0]?.message).to.match(/^there is no "security.webhook_id"/)
  })

  it('`type: "webhook"` without `sender` is an issue', () => {
    expect(load({ security: { type: 'webhook' }, post: fixed() }).issues).to.deep.equal([
      {
        path: `${at}/security/sender`,
        message:
          'sender is missing: expected the name of a sender in info.webhook_senders of the realm',
      },
    ])
  })

  it('secret in an API Specification is refused: unknown key', () => {
    const { issues } = load({ security: { ...hub, secret: 's3cret' }, post: fixed() })
    const known = 'type, schemes, allow_from, description, name, roles, authids, sender'
    expect(issues).to.deep.equal([
      {
        path: `${at}/security/secret`,
        message: `the key "secret" is unknown: expected one of ${known}`,
      },
    ])
  })

  it('is warned of where the sender is not in the realm', () => {
    const security = { type: 'webhook', sender: 'nobody' }
    expect(load({ security, post: fixed() }).warnings).to.deep.equal([
      {
        path: `${at}/security`,
        message:
          'com.example.realm has no sender "nobody" in info.webhook_senders: every request gets 401',
      },
    ])
  })

  it('is warned of under GET where the sender signs the body alone', () => {
    expect(load({ security: hub, get: fixed() }).warnings).to.deep.equal([
      {
        path: `${at}/get`,
        message:
          'the sender "hub" signs the body alone (github): without a body all its signatures are one, so whoever knows it can send the request',
      },
    ])
    const pay = { type: 'webhook', sender: 'pay' }
    expect(load({ security: pay, get: call(), options: fixed() }).warnings).to.deep.equal([])
  })

  it('is warned of where it makes the gateway read a body that it would forward unread', () => {
    const forward = { action: { type: 'forward', host: 'http://localhost:1' }, response: {} }
    expect(load({ security: hub, post: forward }).warnings).to.deep.equal([
      {
        path: `${at}/post`,
        message:
          'the signature makes the gateway read the body before it is forwarded: it is held in memory, up to body_max_bytes',
      },
    ])
  })
})
