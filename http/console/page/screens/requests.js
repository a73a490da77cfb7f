/** Live requests of all nodes, filtered, paused, and explained. */
import { call } from '../lib/api.js'
import { clockTime, duration } from '../lib/format.js'
import { live, onEvent } from '../lib/live.js'
import { linkTo } from '../lib/router.js'
import { makeStore, useStore } from '../lib/store.js'
import {
  Button,
  Dot,
  Empty,
  Icon,
  Method,
  Panel,
  Status,
  Table,
  Trouble,
  typed,
} from '../parts/basics.js'
import { html, useEffect, useState } from '../preact.js'
import { issueToken, Traces } from './traces.js'

/** @typedef {import('../types.d.ts').SeenRequest} SeenRequest */

const mostRequests = 500
/** A watch holds for the time and is renewed before; seconds. */
const watchSeconds = 30

/** @type {{ requests: readonly SeenRequest[], dropped: number, isPaused: boolean }} */
const nothing = { requests: [], dropped: 0, isPaused: false }
const seen = makeStore(nothing)

let count = 0

onEvent((name, data) => {
  const { requests, dropped, isPaused } = seen.get()
  if (isPaused) return
  if (name === 'dropped') seen.set({ dropped: dropped + data.count })
  if (name !== 'request') return
  count += 1
  seen.set({ requests: [{ ...data, key: count }, ...requests].slice(0, mostRequests) })
})

/** @param {SeenRequest} request @param {Record<string, string>} filter */
const fits = (request, { route = '', status = '', node = '', method = '' }) =>
  `${request.route ?? ''} ${request.api_spec ?? ''}`.includes(route) &&
  (status === '' || String(request.status).startsWith(status[0] ?? '')) &&
  request.node.includes(node) &&
  (method === '' || request.method === method)

export function Requests() {
  const { requests, dropped, isPaused } = useStore(seen)
  const mayTrace = useStore(live).hello?.access === 'load'
  const [filter, setFilter] = useState(/** @type {Record<string, string>} */ ({}))
  const [error, setError] = useState(/** @type {unknown} */ (undefined))
  const { status = '', method = '' } = filter
  useEffect(() => {
    const watch = () => {
      const wanted = { ...(status && { status }), ...(method && { method }) }
      const body = { seconds: watchSeconds, filter: wanted }
      call('POST', '/services/watch_requests', { body }).then(() => setError(undefined), setError)
    }
    if (isPaused) return
    watch()
    const timer = setInterval(watch, (watchSeconds * 1000) / 2)
    return () => clearInterval(timer)
  }, [isPaused, status, method])
  /** @param {string} name */
  const set = (name) => typed((text) => setFilter((before) => ({ ...before, [name]: text })))
  const shown = requests.filter((one) => fits(one, filter))
  return html`
    <div class="page-head">
      <h1>Requests</h1>
      <input type="search" class="filter" placeholder="Route or API  /" aria-label="Route or API" onInput=${set('route')} />
      <select aria-label="Method" onChange=${set('method')}><option value="">all methods</option>
        ${['get', 'post', 'put', 'patch', 'delete'].map((each) => html`<option value=${each}>${each.toUpperCase()}</option>`)}</select>
      <select aria-label="Status" onChange=${set('status')}><option value="">all statuses</option>
        ${['2xx', '3xx', '4xx', '5xx'].map((each) => html`<option value=${each}>${each}</option>`)}</select>
      <input class="narrow" placeholder="Node" aria-label="Node" onInput=${set('node')} />
      <${Button} run=${() => seen.set({ isPaused: !isPaused })}><${Icon} name=${isPaused ? 'try' : 'pause'} /> ${isPaused ? 'Resume' : 'Pause'}<//>
      <${Button} run=${() => seen.set({ requests: [], dropped: 0 })}>Clear<//>
    </div>
    <${Trouble} error=${error} />
    <${Panel} title=${html`<${Dot} kind=${isPaused ? 'idle' : 'good'} /> ${isPaused ? 'Paused' : 'Live'}`}
      side=${dropped > 0 ? `${dropped} more were not shown: at most 50 a second of a node` : 'without query, headers and body'}>
      ${
        shown.length === 0
          ? html`<${Empty}>${requests.length === 0 ? 'No request since this screen was opened.' : 'Nothing matches the filter.'}<//>`
          : html`
        <${Table} label="Requests" heads=${['Time', 'Status', 'Request', ['Took', 'number'], 'Error', 'Client', 'Node', '']}>
            ${shown.slice(0, 200).map(
              (one) => html`
              <tr key=${one.key}>
                <td><time>${clockTime(one.ts)}</time></td>
                <td><${Status} status=${one.status} /></td>
                <td class="nowrap"><${Method} method=${one.method} /> <code>${one.route || '(no route)'}</code></td>
                <td class="number">${duration(one.duration)}</td>
                <td><code class="quiet">${one.error ?? ''}</code></td>
                <td class="quiet nowrap">${one.peer}</td>
                <td><code>${one.node}</code></td>
                <td class="number">${one.route && html`<a href=${linkTo('try', one.method, one.route)}>Explain like this</a>`}
                  ${mayTrace && one.route && one.api_spec && html` <${Button} class="small" run=${() => issueToken(one.api_spec ?? '', one.route ?? '')}>Trace<//>`}</td>
              </tr>`,
            )}
        <//>`
      }
    <//>
    ${mayTrace && html`<${Traces} />`}`
}
