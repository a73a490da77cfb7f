/** Path keys that lack the slash at their beginning are routed as if they had it. */
import { expect } from 'chai'
import { validateSpec } from '#component/spec/validate.ts'
import { bodyOf, documentOf, fixed, issuesOf, serve } from '#test/unit/gateway/fake-exchange.ts'

describe('a path key without a slash at its beginning', () => {
  const document = documentOf({
    'orders/:id': { get: fixed('{{request.bindings.id}}') },
    '[recent]': { get: fixed('recent') },
    ':any/x': { get: fixed('any') },
  })

  for (const [target, body] of [
    ['/v1/orders/7', '7'],
    ['/v1/recent', 'recent'],
    ['/v1', 'recent'],
    ['/v1/a/x', 'any'],
  ] as const) {
    it(`answers ${target}`, async () => {
      const reply = await serve(document).ask(`GET ${target}`)
      expect([reply.status, bodyOf(reply)]).to.deep.equal([200, body])
    })
  }

  it('is shown with its slash as the route', async () => {
    const { pattern } = await serve(document).ask('GET /v1/orders/7')
    expect(pattern).to.equal('/v1/orders/:id')
  })

  it('is told as a warning at the key as it is written', () => {
    const { issues, warnings } = validateSpec(document)
    expect(issues).to.deep.equal([])
    expect(warnings.map(({ path }) => path)).to.deep.equal([
      '/versions/1.0/paths/orders~1:id',
      '/versions/1.0/paths/[recent]',
      '/versions/1.0/paths/:any~1x',
    ])
    expect(warnings[0]?.message).to.equal(
      '"orders/:id" is taken as "/orders/:id": a path begins with "/"',
    )
  })

  it('stays in the document as it is written', () => {
    const copy = structuredClone(document)
    validateSpec(document)
    expect(document).to.deep.equal(copy)
  })

  for (const other of ['/orders/:id', '/orders/:number', '/orders/[:id]']) {
    it(`clashes with ${other}, and both are named`, () => {
      const issues = issuesOf(
        documentOf({ 'orders/:id': { get: fixed() }, [other]: { get: fixed() } }),
      )
      expect(issues).to.have.length(1)
      const [{ path, message } = { path: '', message: '' }] = issues
      expect(`${path} ${message}`)
        .to.include('/versions/1.0/paths/orders~1:id')
        .and.include(`/versions/1.0/paths/${other.replaceAll('/', '~1')}`)
    })
  }
})
