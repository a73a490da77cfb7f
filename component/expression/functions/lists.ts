/** Functions on lists: single items, and texts made of them. */

import { charge, entryCost } from '#component/expression/budget.ts'
import { textOf } from '#component/expression/text.ts'
import { type FunctionTable, ofList, position, text } from './function.ts'

/** By name. */
export const lists: FunctionTable = {
  head: { ...ofList, apply: (list: readonly unknown[]) => (list.length === 0 ? '' : list[0]) },
  last: { ...ofList, apply: (list: readonly unknown[]) => (list.length === 0 ? '' : list.at(-1)) },
  tail: {
    ...ofList,
    apply: (list: readonly unknown[], site) => {
      charge(list.length * entryCost, site)
      return list.slice(1)
    },
  },
  nth: {
    ...ofList,
    usage: 'nth(n)',
    least: 1,
    parameters: [position],
    madeOf: [0],
    apply: (list: readonly unknown[], site, n: number) =>
      n > list.length
        ? site.fail('nth: the list has fewer items', ': the list has fewer items')
        : list[n - 1],
  },
  length: { ...ofList, apply: (list: readonly unknown[]) => list.length },
  join: {
    ...ofList,
    usage: 'join or join(separator)',
    parameters: [text],
    apply: (list: readonly unknown[], site, separator = ',') => {
      charge(list.length * (entryCost + (separator as string).length), site)
      return list.map((item) => textOf(item, site)).join(separator)
    },
  },
}
