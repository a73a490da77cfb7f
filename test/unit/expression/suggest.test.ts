/** Which candidate is offered for a misspelt word. */
import { expect } from 'chai'
import { suggest } from '#component/expression/suggest.ts'

describe('suggest', () => {
  const candidates = ['head', 'headers', 'integer', 'merge', 'min', 'max', 'base64:encode', 'ab']
  for (const [word, meant] of [
    ['haed', 'head'],
    ['hed', 'head'],
    ['heads', 'head'],
    ['hedaers', 'headers'],
    ['integr', 'integer'],
    ['intgr', 'integer'],
    ['mn', 'min'],
    ['base64:encod', 'base64:encode'],
    ['ba', 'ab'],
    ['Headers', 'headers'],
    ['MERGE', 'merge'],
    ['encode', 'base64:encode'],
    ['base64', 'base64:encode'],
    ['int', 'integer'],
    ['he', undefined],
    ['base64:', undefined],
    ['ers', undefined],
    ['x', undefined],
    ['', undefined],
    ['entirely different', undefined],
    ['h'.repeat(100_000), undefined],
  ] as const) {
    it(`offers ${meant ?? 'nothing'} for ${word.slice(0, 20) || 'no word'}`, () => {
      expect(suggest(word, candidates)).to.equal(meant)
    })
  }

  it('offers the nearest, and of equally near ones the first', () => {
    expect(suggest('abcd', ['abxx', 'abcx', 'abcy'])).to.equal('abcx')
  })
})
