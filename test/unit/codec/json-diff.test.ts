/** Two JSON values: the members in which they differ. */
import { expect } from 'chai'
import { differencesBetween, type NameOf } from '#component/codec/json-diff.ts'

const nameOf: NameOf = (item) => (item as { readonly name?: string } | null)?.name

const cases: readonly [string, unknown, unknown, readonly object[]][] = [
  ['equal values', { a: [1, { b: 2n }] }, { a: [1, { b: 2 }] }, []],
  ['equal maps in another order', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
  ['another scalar', 1, '1', [{ path: '', kind: 'changed', from: 1, to: '1' }]],
  [
    'a map instead of a list',
    { a: [] },
    { a: {} },
    [{ path: '/a', kind: 'changed', from: [], to: {} }],
  ],
  [
    'members that come, change and go',
    { 'x/y': 1, gone: null },
    { 'x/y': 2, '': [] },
    [
      { path: '/x~1y', kind: 'changed', from: 1, to: 2 },
      { path: '/', kind: 'added', to: [] },
      { path: '/gone', kind: 'removed', from: null },
    ],
  ],
  [
    'items, by their place',
    { a: [1, 2, 3] },
    { a: [1, 3] },
    [
      { path: '/a/1', kind: 'changed', from: 2, to: 3 },
      { path: '/a/2', kind: 'removed', from: 3 },
    ],
  ],
  [
    'items that have names, wherever they stand',
    [{ name: 'a', x: 1 }, { name: 'b' }, { name: 'c' }],
    [{ name: 'new' }, { name: 'c' }, { name: 'a', x: 2 }],
    [
      { path: '/0', kind: 'added', to: { name: 'new' } },
      { path: '/2/x', kind: 'changed', from: 1, to: 2 },
      { path: '/1', kind: 'removed', from: { name: 'b' } },
    ],
  ],
  [
    'items of which two share a name, by their place',
    [{ name: 'a' }, { name: 'a' }],
    [{ name: 'a' }],
    [{ path: '/1', kind: 'removed', from: { name: 'a' } }],
  ],
  [
    'items of which one has no name, by their place',
    [{ name: 'a' }, null],
    [null, { name: 'a' }],
    [
      { path: '/0', kind: 'changed', from: { name: 'a' }, to: null },
      { path: '/1', kind: 'changed', from: null, to: { name: 'a' } },
    ],
  ],
]

describe('the differences between two JSON values', () => {
  for (const [what, from, to, expected] of cases) {
    it(`tell ${what}`, () => {
      expect(differencesBetween(from, to, '', nameOf)).to.deep.equal(expected)
    })
  }
})
