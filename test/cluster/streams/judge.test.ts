/** The judge of streams finds what is lost and what is repeated. */
import { expect } from 'chai'
import { judge, type Noted } from './judge.ts'

const cases: readonly {
  readonly title: string
  readonly noted: readonly Noted[]
  /** Numbers whose publication failed. */
  readonly open?: readonly number[]
  readonly expected: object
}[] = [
  { title: 'all in their order', noted: [7, 8, 9], expected: {} },
  { title: 'a hole', noted: [1, 2, 5], expected: { silent: ['2 between 2 and 5'] } },
  { title: 'a hole of what failed', noted: [1, 4], open: [2, 3], expected: {} },
  {
    title: 'a hole of which a part failed',
    noted: [1, 4],
    open: [2],
    expected: { silent: ['1 between 1 and 4'] },
  },
  { title: 'a named hole', noted: [1, 'gap a', 4], expected: { named: 2, gaps: [['gap a', 1]] } },
  {
    title: 'a second hole behind a named one',
    noted: [1, 'gap a', 4, 6],
    expected: { named: 2, silent: ['1 between 4 and 6'], gaps: [['gap a', 1]] },
  },
  {
    title: 'a gap behind a hole',
    noted: [1, 3, 'gap a'],
    expected: { silent: ['1 between 1 and 3'], gaps: [['gap a', 1]] },
  },
  { title: 'one twice', noted: [1, 2, 2, 3], expected: { repeated: ['2 after 2'] } },
  { title: 'one late', noted: [1, 3, 2], open: [2], expected: { repeated: ['2 after 3'] } },
  {
    title: 'some again from another process',
    noted: [1, 2, 3, 'moved', 2, 3, 4],
    expected: { again: 2 },
  },
  {
    title: 'some again later',
    noted: [1, 2, 'moved', 3, 2],
    expected: { repeated: ['2 after 3'] },
  },
  {
    title: 'a hole between processes',
    noted: [1, 2, 'moved', 5],
    expected: { silent: ['2 between 2 and 5'] },
  },
  {
    title: 'a named hole between processes',
    noted: [1, 2, 'gap a', 'moved', 2, 5],
    expected: { named: 2, again: 1, gaps: [['gap a', 1]] },
  },
]

describe('the judge of streams', () => {
  for (const { title, noted, open = [], expected } of cases) {
    it(`judges ${title}`, () => {
      const { gaps, ...verdict } = judge(noted, (number) => !open.includes(number))
      const nothing = { silent: [], repeated: [], named: 0, again: 0, gaps: [] }
      expect({ ...verdict, gaps: [...gaps] }).to.deep.equal({ ...nothing, ...expected })
    })
  }
})
