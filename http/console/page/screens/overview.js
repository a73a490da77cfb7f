/** The overview: how much is served and how well, by which routes and nodes, and what has happened. */

import {
  ago,
  clockTime,
  count,
  measured,
  percent,
  quantile,
  shortBy,
  shortHash,
} from '../lib/format.js'
import { live } from '../lib/live.js'
import { linkTo } from '../lib/router.js'
import { operationsOf, specStore } from '../lib/specs.js'
import { makeStore, useStore } from '../lib/store.js'
import { Dot, Empty, Method, Panel, Table, Tabs, typed, useNow } from '../parts/basics.js'
import { Chart } from '../parts/chart.js'
import { Dashboard } from '../parts/dashboard.js'
import { html, useState } from '../preact.js'
import { Unused } from './served/unused.js'

/** @typedef {import('../types.d.ts').RouteCounts & { seconds: number, bounds: number[] }} Route */

/** @param {ReadonlyMap<string, import('../types.d.ts').Stats>} nodes */
function routesOf(nodes) {
  /** @type {Map<string, Route>} */
  const all = new Map()
  for (const { routes, seconds, bounds } of nodes.values()) {
    for (const one of routes) {
      const key = JSON.stringify([one.api, one.version, one.route, one.method])
      const known = all.get(key)
      all.set(key, {
        ...{ ...one, seconds, bounds },
        count: one.count + (known?.count ?? 0),
        errors: one.errors + (known?.errors ?? 0),
        buckets: one.buckets.map((each, index) => each + (known?.buckets[index] ?? 0)),
      })
    }
  }
  return [...all.values()]
}

/** @param {Route} route */
const p99 = ({ buckets, bounds }) => quantile(buckets, bounds, 0.99) || 0

/** @type {Record<string, (a: Route, b: Route) => number>} */
const orders = {
  busiest: (a, b) => b.count - a.count,
  failing: (a, b) => b.errors - a.errors,
  slowest: (a, b) => p99(b) - p99(a),
}

/** How far the charts go back. */
const range = makeStore({ seconds: 300 })

/** @type {readonly (readonly [seconds: number, title: string])[]} */
const ranges = [
  [60, '1 minute'],
  [300, '5 minutes'],
  [900, '15 minutes'],
  [3_600, '1 hour'],
]

export function Overview() {
  const { seconds } = useStore(range)
  const { points, nodes, hello } = useStore(live)
  const last = points.at(-1)
  /** @param {'rate' | 'errors' | 'p99' | 'inFlight'} name */
  const series = (name) => points.map((point) => ({ at: point.at, value: point[name] }))
  /** @type {[string, string, import('../preact.d.ts').Child, ReturnType<typeof series>, (value: number) => string][]} */
  const tiles = [
    [
      'Requests',
      '',
      html`${count(last?.rate ?? 0)}<small>/s</small>`,
      series('rate'),
      (value) => `${count(value)}/s`,
    ],
    [
      'Server errors',
      last && last.errors > 0 ? 'bad' : '',
      percent(last?.errors ?? 0),
      series('errors'),
      percent,
    ],
    ['p99', '', measured(last?.p99 ?? Number.NaN), series('p99'), measured],
    ['In flight', '', count(last?.inFlight ?? 0), series('inFlight'), count],
  ]
  return html`
    <h1 class="sr">Overview</h1>
    <p class="facts"><label>Charts of the last <select value=${seconds} onChange=${typed((text) => range.set({ seconds: +text }))}>
      ${ranges.map(([each, title]) => html`<option value=${each}>${title}</option>`)}</select></label>
      ${hello?.grafana && html`<${Dashboard} url=${hello.grafana} />`}</p>
    <div class="tiles">
      ${tiles.map(
        ([label, kind, value, values, show]) => html`
        <section class="panel tile" key=${label}>
          <h2>${label}</h2><p class=${`figure ${kind}`}>${value}</p>
          <${Chart} label=${label} kind=${kind} points=${values} show=${show} seconds=${seconds} />
        </section>`,
      )}
    </div>
    <div class="columns">
      <${Routes} nodes=${nodes} />
      <div class="stack">
        ${hello?.within === null && html`<${NodeList} />`}
        <${Events} />
      </div>
    </div>`
}

/** @param {{ nodes: ReadonlyMap<string, import('../types.d.ts').Stats> }} props */
function Routes({ nodes }) {
  const [order, setOrder] = useState('busiest')
  const { specs } = useStore(specStore)
  const routes = routesOf(nodes).sort(orders[order]).slice(0, 50)
  const most = Math.max(...routes.map((route) => route.count), 1)
  const operations = [...specs.values()].reduce((sum, spec) => sum + operationsOf(spec).length, 0)
  const tabs = [...Object.keys(orders), 'unused'].map((name) => ({
    name,
    title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  }))
  return html`
    <${Panel} title="Routes" side=${html`<${Tabs} label="Order of the routes" tabs=${tabs} now=${order} choose=${setOrder} />`}>
      ${
        order === 'unused'
          ? html`<${Unused} />`
          : routes.length === 0
            ? html`<${Empty}>No request in the last seconds. ${specs.size} API${specs.size === 1 ? '' : 's'} with ${operations} operation${operations === 1 ? '' : 's'} are loaded.<//>`
            : html`
          <${Table} label="Routes" heads=${['Route', ['API', 'wide-only'], ['Rate', 'number'], ['Errors', 'number'], ['p50', 'number wide-only'], ['p99', 'number']]}>
              ${routes.map(
                (route) => html`
                <tr key=${`${route.api} ${route.version} ${route.method} ${route.route}`}>
                  <td class="bar"><span class="bar-fill" style=${{ '--part': route.count / most }}></span>
                    <${Method} method=${route.method} /> <code>${route.route}</code></td>
                  <td class="wide-only"><a href=${linkTo('apis', route.api)}>${route.api}</a></td>
                  <td class="number">${count(route.count / Math.max(route.seconds, 1))}/s</td>
                  <td class=${`number ${route.errors > 0 ? 'bad' : 'quiet'}`}>${percent(route.errors / route.count)}</td>
                  <td class="number wide-only">${measured(quantile(route.buckets, route.bounds, 0.5))}</td>
                  <td class="number">${measured(p99(route))}</td>
                </tr>`,
              )}
          <//>`
      }
    <//>`
}

function NodeList() {
  const { nodes } = useStore(live)
  const all = [...nodes.values()].sort((a, b) => a.node.localeCompare(b.node))
  return html`
    <${Panel} title="Nodes" side=${html`<a href=${linkTo('nodes')}>Details</a>`}>
      <ul class="rows">
        ${all.map(
          ({ node, is_ready, seconds, count: requests = 0 }) => html`
          <li key=${node}><${Dot} kind=${is_ready ? 'good' : 'bad'} /> <code>${node}</code>
            <span class="end">${is_ready ? `${count(seconds > 0 ? requests / seconds : 0)}/s` : 'not ready'}</span></li>`,
        )}
      </ul>
    <//>`
}

/** @type {Record<string, [verb: string, kind: string]>} */
const said = {
  on_load: ['loaded', 'good'],
  on_delete: ['deleted', 'bad'],
  on_conflict: ['not served: in conflict', 'bad'],
  on_realm_load: ['realm loaded', 'good'],
  on_realm_delete: ['realm deleted', 'bad'],
  on_node_join: ['has joined', 'good'],
  on_node_leave: ['has left', 'warn'],
}

/** @param {import('../types.d.ts').ClusterEvent} event */
function subjectOf({ name, id = '', node = '' }) {
  if (name.startsWith('on_node')) return html`<code>${node}</code>`
  if (name.startsWith('on_realm')) return html`<a href=${linkTo('realms', id)}>${id}</a>`
  return html`<a href=${linkTo('apis', id)}>${id}</a>`
}

function Events() {
  const { events } = useStore(live)
  const now = useNow(5_000)
  return html`
    <${Panel} title="Events" side="since this page was opened">
      ${
        events.length === 0
          ? html`<${Empty}>Nothing has changed. Loads, deletions, conflicts and nodes that come and go appear here.<//>`
          : html`<ol class="rows events">
          ${events.slice(0, 60).map((event) => {
            const [verb, kind] = said[event.name] ?? [event.name, '']
            return html`
              <li>
                <time title=${ago(event.at, now)}>${clockTime(event.at)}</time>
                <span>${subjectOf(event)} <span class=${kind}>${verb}</span>
                  ${event.other && event.other !== event.id && html` with <code>${event.other}</code>`}
                  <small>${!event.name.startsWith('on_node') && event.node && html` on ${event.node}`}${event.by && ` by ${shortBy(event.by)}`}${event.hash && html` · ${shortHash(event.hash)}`}</small></span>
              </li>`
          })}
        </ol>`
      }
    <//>`
}
