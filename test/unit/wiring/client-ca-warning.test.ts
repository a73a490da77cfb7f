/** Which loads warn that nobody is asked for a client certificate. */
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { configOf } from '#component/config/config.ts'
import { withClientCaWarning } from '#component/wiring/client-ca-warning.ts'
import { documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'

const compiled = (security: object) =>
  compileDocument(documentOf({ '/x': { security, get: fixed() } }), { callTimeout: 30_000 })
const plain = configOf({})
const asking = configOf({ gateway: { tls: { client_ca: 'ca.pem' } } })

describe('a document with mtls', () => {
  const secured = compiled({ type: 'mtls', authid: 'cn' })

  it('is known to need a gateway that has it', () => {
    expect(secured.api?.features).to.deep.equal(['mtls'])
  })

  it('is loaded with a warning where no client is asked for a certificate', () => {
    const { warnings } = withClientCaWarning(secured, plain)
    expect(warnings.map(({ message }) => message).join()).to.include('gateway.tls.client_ca')
    expect(withClientCaWarning(secured, asking)).to.equal(secured)
  })

  it('alone is warned of', () => {
    const basic = compiled({ type: 'basic' })
    expect(withClientCaWarning(basic, plain)).to.equal(basic)
  })
})
