/** The procedures that an API Specification registers: who may call them, their state at each node, and the calls that have come. */

import { call, specPath } from '../../lib/api.js'
import { ago, count } from '../../lib/format.js'
import { targetOf } from '../../lib/target.js'
import { Badge, Dot, Empty, Panel, Table, Trouble, useAnswer, useNow } from '../../parts/basics.js'
import { html } from '../../preact.js'

/** @typedef {import('../../types.d.ts').Procedure} Procedure */
/** @typedef {import('../../types.d.ts').ProcedureAtNode} ProcedureAtNode */

/** They are asked for anew so often; milliseconds. */
const everyMs = 3_000

/** @type {Record<string, 'good' | 'warn' | 'bad' | 'idle'>} */
const kinds = { registered: 'good', standby: 'idle', waiting: 'warn', refused: 'bad' }

const heads = /** @type {const} */ ([
  'Procedure',
  'Action',
  'Callers',
  'Node',
  'State',
  'Why',
  ['Calls', 'number'],
  ['Errors', 'number'],
  ['Canceled', 'number'],
  ['Last call', 'number'],
])

/** Who may call, as the document says it. @param {{ roles?: string[], authids?: string[] } | undefined} callers */
const callersText = (callers) =>
  callers && ([callers.roles ?? [], callers.authids ?? []].flat().join(', ') || 'disclosed')

/** @param {{ id: string, spec: import('../../types.d.ts').Spec }} props */
export function Procedures({ id, spec }) {
  const now = useNow(1_000)
  const { value, error } = useAnswer(
    () =>
      /** @type {Promise<{ procedures: Procedure[], unheard: string[] }>} */ (
        call('GET', `${specPath(id)}/procedures`)
      ),
    [id, Math.floor(now / everyMs)],
  )
  const { procedures = [], unheard = [] } = value ?? {}
  const registered = new Set(procedures.map(({ procedure }) => procedure))
  const inactive = Object.keys(spec.procedures ?? {}).filter((uri) => !registered.has(uri))
  return html`
    <${Trouble} error=${error} />
    ${unheard.length > 0 && html`<p class="banner warn" role="status">No response from ${unheard.join(', ')}.</p>`}
    ${
      value &&
      html`
    <${Panel} title="Procedures">
      ${procedures.length === 0 && html`<${Empty}>No node registers procedures of the document: <code>procedures</code> declares them.<//>`}
      ${
        procedures.length > 0 &&
        html`<${Table} label="Procedures" heads=${heads}>
        ${procedures.flatMap((one) => one.nodes.map((at, index) => html`<${Row} key=${[one.procedure, one.match, one.invoke, at.node].join(' ')} of=${one} at=${at} declared=${spec.procedures?.[one.procedure]} isFirst=${index === 0} now=${now} />`))}
      <//>`
      }
      ${inactive.length > 0 && html`<p class="below quiet">Not registered: ${inactive.map((uri) => html`<code key=${uri}>${uri}</code> `)}</p>`}
    <//>`
    }`
}

/** @param {{ of: Procedure, at: ProcedureAtNode, declared: any, isFirst: boolean, now: number }} props */
const Row = ({ of: { procedure, match, invoke }, at, declared, isFirst, now }) => {
  const action = [declared?.action].flat()[0]
  return html`
  <tr>
    <td>${isFirst && html`<code class="strong">${procedure}</code>${match !== 'exact' && html` <${Badge}>${match}<//>`}${invoke !== 'roundrobin' && html` <${Badge}>${invoke}<//>`}`}</td>
    <td>${isFirst && html`${action?.type} <code>${targetOf(action)}</code>`}</td>
    <td>${isFirst && (callersText(declared?.callers) ?? html`<span class="quiet">anybody</span>`)}</td>
    <td><code>${at.node}</code></td>
    <td class="nowrap"><${Dot} kind=${kinds[at.state] ?? 'idle'} /> ${at.state}</td>
    <td>${at.reason ?? ''}</td>
    <td class="number">${count(at.calls.ok + at.calls.error + at.calls.canceled)}</td>
    <td class=${`number ${at.calls.error > 0 ? 'bad' : ''}`}>${count(at.calls.error)}</td>
    <td class="number">${count(at.calls.canceled)}</td>
    <td class="number quiet">${at.called_at === null ? 'never' : ago(at.called_at, now)}</td>
  </tr>`
}
