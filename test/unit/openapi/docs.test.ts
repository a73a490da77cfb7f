/** docs/openapi.md shows a document that loads, and says what is described of it. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { describeDocument, operationsOf } from './describe.ts'

const text = readFileSync(new URL('../../../docs/openapi.md', import.meta.url), 'utf8')
const [document, internal] = [...text.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) =>
  JSON.parse(json),
)

describe('the document in docs/openapi.md', () => {
  it('loads without a warning', () => {
    const { issues, warnings } = compileDocument(document, { callTimeout: 1000 })
    expect({ issues, warnings }).to.deep.equal({ issues: [], warnings: [] })
  })

  it('is described as the page says', () => {
    const { info, paths, components } = describeDocument(document)
    expect(info).to.deep.include({ title: 'Orders', version: '1.0' })
    const { operationId, tags, responses } = paths['/orders/{id}'].get
    expect({ operationId, tags }).to.deep.equal({ operationId: 'getOrder', tags: ['orders'] })
    expect(responses['404'].description).to.equal('There is no such order.')
    expect(components.schemas).to.include.keys('Order', 'Missing', 'Error', 'Problem')
  })

  it('is what operators see as the page says', () => {
    const { paths } = describeDocument(document, { isInternal: true })
    expect(paths['/orders/{id}'].get['x-wamp-gateway']).to.deep.equal(internal['x-wamp-gateway'])
    expect(operationsOf({ paths })).to.deep.equal(['get /orders/{id}'])
  })
})
