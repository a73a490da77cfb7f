/** Which candidate is offered for a misspelt word. */
import { expect } from 'chai'
import { suggest, suggestions } from '#component/expression/suggest.ts'

describe('suggest', () => {
  const candidates = ['head', 'headers', 'integer', 'merge', 'min', 'max', 'base64:encode', 'ab']
  for (const [word, meant] of [
    ['haed', 'head'],
    ['hed', 'head'],
    ['heads', 'head'],
    ['hedaers', 'headers'],
    ['integr', 'integer'],
    ['intgr', 'integer'],
    ['intg', 'integer'],
    ['mn', 'min'],
    ['base64:encod', 'base64:encode'],
    ['ba', 'ab'],
    ['x', undefined],
    ['', undefined],
    ['entirely different', undefined],
    ['h'.repeat(100_000), undefined],
  ] as const) {
    it(`offers ${meant ?? 'nothing'} for ${word.slice(0, 20) || 'no word'}`, () => {
      expect(suggest(word, candidates)).to.equal(meant)
    })
  }

  for (const [word, known, meant] of [
    ['realm', ['id', 'realm_uri'], ['realm_uri']],
    ['status', ['status_code', 'headers'], ['status_code']],
    ['Status', ['status_code', 'headers'], ['status_code']],
    ['len', ['length', 'size'], ['length', 'size']],
    ['len', ['size'], ['size']],
    ['len', ['lean'], ['lean']],
    ['lne', ['length'], ['length']],
    ['lt', ['less', 'greater', 'get'], ['less']],
    ['gt', ['less', 'greater', 'get'], ['greater']],
    ['before', ['less', 'greater'], ['less']],
    ['after', ['less', 'greater'], ['greater']],
    ['constructor', ['length'], []],
  ] as const) {
    it(`offers ${meant.join(' or ') || 'nothing'} for ${word} among ${known.join(', ')}`, () => {
      expect(suggestions(word, known)).to.deep.equal(meant)
    })
  }

  it('offers the nearest, and of equally near ones the first', () => {
    expect(suggest('abcd', ['abxx', 'abcx', 'abcy'])).to.equal('abcx')
  })
})
