/** How many traces are kept, and how large each may be. */
import { expect } from 'chai'
import { KeptTraces } from '#component/tracing/kept-traces.ts'

const realm_uri = 'com.example'

describe('the traces of a process', () => {
  it('are the last hundred', () => {
    const kept = new KeptTraces()
    for (let index = 0; index < 101; index++) kept.keep(`node.${index}`, realm_uri, { index })
    expect(kept.find('node.0')).to.equal(undefined)
    expect(kept.find('node.1')).to.deep.equal({ realm_uri, text: '{"index":1}' })
    expect(kept.find('node.100')).to.not.equal(undefined)
  })

  it('lose their largest members beyond 256 KiB', () => {
    const kept = new KeptTraces()
    const trace = { small: 'x', expressions: 'e'.repeat(200_000), response: 'r'.repeat(100_000) }
    kept.keep('node.a', realm_uri, trace)
    const found = JSON.parse(kept.find('node.a')?.text ?? '') as object
    expect(found).to.deep.equal({ ...trace, expressions: null, truncated: true })
  })
})
