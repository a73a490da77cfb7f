/** Traces of real requests: tokens with which they are asked for, and those that the nodes keep. */

import { call, specPath } from '../lib/api.js'
import { clockTime } from '../lib/format.js'
import { specStore } from '../lib/specs.js'
import { makeStore, useStore } from '../lib/store.js'
import {
  Button,
  Empty,
  Method,
  Panel,
  Status,
  Table,
  Trouble,
  typed,
  useAnswer,
  useNow,
} from '../parts/basics.js'
import { Dialog, noteError } from '../parts/dialog.js'
import { html, useState } from '../preact.js'
import { Explanation } from './explanation.js'

const everyMs = 3_000

/** The document whose traces are shown, and a token of it that has just been made. */
const chosen = makeStore({ id: '', token: '' })

/** Makes a token. @param {string} id of the document @param {string} route its pattern */
export const issueToken = (id, route) =>
  call('POST', `${specPath(id)}/trace_tokens`, { body: { route } }).then(
    ({ token }) => chosen.set({ id, token }),
    noteError,
  )

export function Traces() {
  const { specs } = useStore(specStore)
  const { id, token } = useStore(chosen)
  const [shown, setShown] = useState(/** @type {any} */ (undefined))
  const tick = Math.floor(useNow(everyMs) / everyMs)
  const ids = [...specs.keys()].sort()
  const now = id || (ids[0] ?? '')
  const { value, error } = useAnswer(
    async () => now && call('GET', `${specPath(now)}/traces`),
    [now, tick],
  )
  /** @type {any[]} */
  const traces = value?.traces ?? []
  /** @param {string} trace */
  const look = (trace) =>
    call('GET', `/traces/${encodeURIComponent(trace)}`).then(setShown, noteError)
  return html`
    <${Panel} title="Traces" side=${html`<label>of <select value=${now} onChange=${typed((next) => chosen.set({ id: next }))}>
      ${ids.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select></label>`}>
      <${Trouble} error=${error} />
      ${value && traces.length === 0 && html`<${Empty}>None. A request that sends the token of a route in <code>X-Gateway-Trace</code> is traced, and kept for ten minutes.<//>`}
      <${Table} label="Traces">
        ${traces.map(
          (trace) => html`
          <tr key=${trace.id}><td><time>${clockTime(trace.ts)}</time></td><td><${Status} status=${trace.status} /></td>
            <td class="nowrap"><${Method} method=${trace.method} /> <code>${trace.route}</code></td><td><code>${trace.node}</code></td>
            <td class="number"><${Button} class="small" run=${() => look(trace.id)}>Show<//></td></tr>`,
        )}
      <//>
    <//>
    ${
      token &&
      html`<${Dialog} title="A trace token" close=${() => chosen.set({ token: '' })}>
      <p>Copy it now: it is shown once, and holds for 15 minutes. Send it with a request to the route:</p><pre class="value" tabindex="0">X-Gateway-Trace: ${token}</pre><//>`
    }
    ${shown && html`<${Dialog} class="wide" title="Trace" close=${() => setShown(undefined)}><div class="stack traced"><${Explanation} told=${shown} /></div><//>`}`
}
