/** How many traces are kept, and how large each may be. */
import { expect } from 'chai'
import { KeptTraces } from '#component/tracing/kept-traces.ts'

const listed = { ts: 1, method: 'get', route: '/a', status: 200 }

const known = (id: string, api_spec = 'com.example.a', realm_uri = 'com.example') => ({
  ...{ api_spec, realm_uri },
  listed: { id, ...listed },
})

describe('the traces of a process', () => {
  it('are the last hundred', () => {
    const kept = new KeptTraces()
    for (let index = 0; index < 101; index++) kept.keep(known(`node.${index}`), { index })
    expect(kept.find('node.0')).to.equal(undefined)
    expect(kept.find('node.1')).to.deep.equal({ ...known('node.1'), text: '{"index":1}' })
    expect(kept.find('node.100')).to.not.equal(undefined)
  })

  it('are listed by their document and its realm', () => {
    const kept = new KeptTraces()
    kept.keep(known('node.a'), {})
    kept.keep(known('node.b', 'com.example.b'), {})
    kept.keep(known('node.c', 'com.example.a', 'com.other'), {})
    expect(kept.list('com.example.a', 'com.example')).to.deep.equal([{ id: 'node.a', ...listed }])
  })

  it('lose their largest members beyond 256 KiB', () => {
    const kept = new KeptTraces()
    const trace = { small: 'x', expressions: 'e'.repeat(200_000), response: 'r'.repeat(100_000) }
    kept.keep(known('node.a'), trace)
    const found = JSON.parse(kept.find('node.a')?.text ?? '') as object
    expect(found).to.deep.equal({ ...trace, expressions: null, truncated: true })
  })
})
