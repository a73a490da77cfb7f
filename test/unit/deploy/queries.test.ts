/** The queries of the dashboard and of the alerts name only metrics, and labels of them, that docs/operations.md lists. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { alerts } from '#test/deploy/alerts.ts'
import { panelQueries } from '#test/deploy/dashboard.ts'
import { groupedBy, selectorsOf } from '#test/deploy/promql.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')

/** Labels that Prometheus adds to all series of a target. */
const ofTargets = ['job', 'instance']

/** Labels by metric, as the tables write them: `gateway_streams{type}`. */
const listed = new Map<string, readonly string[]>([
  ['up', []],
  ['ALERTS', ['alertname', 'alertstate']],
])
for (const [, metric = '', labels = ''] of page.matchAll(
  /`((?:gateway|nodejs|process)_\w+)(?:\{([\w,]*)\})?`/g,
)) {
  const known = listed.get(metric) ?? []
  listed.set(metric, [...known, ...labels.split(',').filter(Boolean)])
}

/** The labels that the series of a name have; of the series of a histogram besides `le`. */
function labelsOf(metric: string): readonly string[] | undefined {
  const [, histogram = '', part = ''] = /^(\w+)_(bucket|sum|count)$/.exec(metric) ?? []
  const own = listed.get(metric)
  if (own) return [...own, ...ofTargets]
  const labels = listed.get(histogram)
  return labels && [...labels, ...ofTargets, ...(part === 'bucket' ? ['le'] : [])]
}

const queries = [
  ...panelQueries.map(({ title, expr }) => ({ name: `the panel "${title}"`, query: expr })),
  ...alerts.map(({ alert, expr }) => ({ name: alert, query: expr })),
]

describe('a query', () => {
  it('is read for its metrics and labels', () => {
    const query =
      'sum by (a, le) (rate(gateway_x_bucket{b=~"gateway_y{c=1}",d!=""}[5m])) > on (e) up'
    expect(selectorsOf(query)).to.deep.equal([
      { metric: 'gateway_x_bucket', labels: ['b', 'd'] },
      { metric: 'up', labels: [] },
    ])
    expect(groupedBy(query)).to.deep.equal(['a', 'le', 'e'])
  })

  for (const { name, query } of queries) {
    it(`names metrics and labels that there are: ${name}: ${query.slice(0, 60)}`, () => {
      const selectors = selectorsOf(query)
      expect(selectors).to.not.have.lengthOf(0)
      const all: string[] = [...query.matchAll(/label_replace\(.*?\), "(\w+)"/g)].map(
        ([, made = '']) => made,
      )
      for (const { metric, labels } of selectors) {
        const known = labelsOf(metric)
        expect(known, metric)
          .to.be.an('array')
          .that.includes.members([...labels])
        all.push(...(known ?? []))
      }
      expect(all).to.include.members([...groupedBy(query)])
    })
  }

  it('is made of every alert that fires, and its texts name labels that its results have', () => {
    for (const { alert, expr, annotations } of alerts) {
      const used = [...annotations.description.matchAll(/\$labels\.(\w+)/g)].map(
        ([, label]) => label,
      )
      const grouped = groupedBy(expr)
      const all =
        grouped.length > 0
          ? grouped
          : selectorsOf(expr).flatMap(({ metric }) => labelsOf(metric) ?? [])
      expect(all, alert).to.include.members(used)
    }
  })
})
