/** What a query in PromQL asks for: the metrics, and the labels of each; read without a parser of the language. */

/** A metric as a query names it. */
export interface Asked {
  readonly metric: string
  /** The labels that its matchers name. */
  readonly labels: readonly string[]
}

/** The words that stand before a list of labels. */
const grouping = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g

const string = /"(?:[^"\\]|\\.)*"/g

const wordsOf = (list: string) => list.match(/[a-zA-Z_]\w*/g) ?? []

/** The selectors of a query, in order. Every metric of a gateway has an underscore in its name, but for `up` and `ALERTS`. */
export function selectorsOf(query: string): readonly Asked[] {
  const bare = query.replace(string, '""').replace(grouping, '')
  const found = bare.matchAll(/(?<![\w$.])([a-zA-Z_]\w*)\s*(?:\{([^}]*)\})?(?!\s*\()/g)
  return [...found]
    .map(([, metric = '', matchers = '']) => ({ metric, labels: wordsOf(matchers) }))
    .filter(({ metric }) => /^(?:up|ALERTS|(?:gateway|nodejs|process)_\w+)$/.test(metric))
}

/** The labels by which a query groups its results. */
export const groupedBy = (query: string): readonly string[] =>
  [...query.replace(string, '""').matchAll(grouping)].flatMap(([, list = '']) => wordsOf(list))
