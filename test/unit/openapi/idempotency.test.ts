/** What a description says of an Idempotency-Key. */
import { expect } from 'chai'
import { call, documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'
import { describeDocument, operationOf } from './describe.ts'

const described = (operation: object, method: string) => {
  const { paths, components } = describeDocument(documentOf({ '/x': { [method]: operation } }))
  return { ...paths['/x'][method], components }
}

describe('an Idempotency-Key in a description', () => {
  it('is a parameter of POST and PATCH, with the refusals that it brings', () => {
    for (const method of ['post', 'patch']) {
      const operation = { ...fixed('a'), idempotency: {} }
      const { parameters, responses, components } = described(operation, method)
      expect(parameters).to.have.length(1)
      expect(parameters[0]).to.include({ name: 'idempotency-key', in: 'header' })
      expect(parameters[0]).to.include.keys('description').and.not.to.include.keys('required')
      expect(responses).to.include.keys('200', '400', '409', '422', '503')
      expect(components.responses.Limited ?? responses['409']).to.be.an('object')
      expect(responses['409'].description).to.equal('Conflict')
      const { $ref } = responses['409']
      const shared = components.responses[String($ref).split('/').at(-1) ?? '']
      expect(shared.headers).to.have.all.keys('Retry-After')
    }
  })

  it('is required where the document says so', () => {
    const { parameters } = described({ ...fixed('a'), idempotency: { required: true } }, 'post')
    expect(parameters[0]).to.include({ required: true })
  })

  it('stands beside an action that fails with 409', () => {
    const schema = { type: 'object', title: 'Mine' }
    const failing = call({}, {}, { status_code: 409, body: 'a', schema })
    const { responses } = described({ ...failing, idempotency: {} }, 'post')
    expect(responses['409'].headers).to.have.all.keys('Retry-After')
    expect(JSON.stringify(responses['409'].content)).to.include('Mine')
  })

  it('is no part of other methods, and of routes that take it away', () => {
    const plain = operationOf(fixed('a'))
    expect(operationOf({ ...fixed('a'), idempotency: {} })).to.deep.equal(plain)
    const without = described({ ...fixed('a'), idempotency: null }, 'post')
    expect(without).to.deep.equal(described(fixed('a'), 'post'))
  })
})
