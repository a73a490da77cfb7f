/** The upstreams of a realm: what has become of their targets at each node, and the age of the tokens that they are sent. */
import { call, callText, realmPath } from '../lib/api.js'
import { ago, dateTime, duration } from '../lib/format.js'
import {
  Badge,
  Button,
  Dot,
  Empty,
  Panel,
  Table,
  Trouble,
  useAnswer,
  useNow,
} from '../parts/basics.js'
import { told } from '../parts/dialog.js'
import { html } from '../preact.js'

/** @typedef {import('../types.d.ts').Upstream} Upstream */
/** @typedef {import('../types.d.ts').UpstreamTarget} UpstreamTarget */
/** @typedef {import('../types.d.ts').TargetState} TargetState */

/** @type {Record<string, 'good' | 'warn' | 'bad' | 'idle'>} */
const kinds = { up: 'good', out: 'bad', down: 'bad', draining: 'warn', unresolved: 'idle' }

/** @typedef {{ uri: string, mayChange: boolean, now: number, again: () => void }} Around */

/** @param {{ uri: string, mayChange: boolean }} props */
export function Upstreams({ uri, mayChange }) {
  const now = useNow(1_000)
  const tick = Math.floor(now / 3_000)
  const { value, error, again } = useAnswer(
    () =>
      /** @type {Promise<{ upstreams: Upstream[], unheard: string[] }>} */ (
        call('GET', `${realmPath(uri)}/upstreams`)
      ),
    [uri, tick],
  )
  const { upstreams = [], unheard = [] } = value ?? {}
  return html`
    <${Trouble} error=${error} />
    ${unheard.length > 0 && html`<p class="banner warn" role="status">No response from ${unheard.join(', ')}.</p>`}
    ${value && upstreams.length === 0 && html`<${Panel}><${Empty}>The realm has no upstreams: <code>info.upstreams</code> of its document declares them.<//><//>`}
    ${upstreams.map((one) => html`<${OneUpstream} key=${one.name} of=${one} uri=${uri} mayChange=${mayChange} now=${now} again=${again} />`)}`
}

const heads = /** @type {const} */ ([
  'Target',
  'Node',
  'State',
  'Why',
  ['In flight', 'number'],
  ['Connections', 'number'],
  ['WebSockets', 'number'],
  ['Failures', 'number'],
  ['Weight', 'number'],
  ['Last check', 'number'],
  '',
])

/** @param {Around & { of: Upstream }} props */
const OneUpstream = ({ of: { name, balance, targets, auth }, ...around }) => html`
  <${Panel} title=${name} side=${html`<${Badge}>${balance}<//>`}>
    <${Table} label=${`Targets of ${name}`} heads=${heads}>
      ${targets.flatMap((target) => target.nodes.map((state, index) => html`<${Row} key=${`${target.url} ${state.address} ${state.node}`} upstream=${name} target=${target} state=${state} isFirst=${index === 0} ...${around} />`))}
    <//>
    ${auth && html`<${Auth} auth=${auth} now=${around.now} />`}
  <//>`

/** @param {Around & { upstream: string, target: UpstreamTarget, state: TargetState, isFirst: boolean }} props */
const Row = ({ uri, mayChange, now, again, upstream, target, state, isFirst }) => html`
  <tr>
    <td>${isFirst && html`<code class="strong">${target.url}</code> `}${state.address && html`<code>${state.address}</code> `}
      ${isFirst && target.group && html`<${Badge}>${target.group}<//> `}${isFirst && target.backup && html`<${Badge}>backup<//>`}</td>
    <td><code>${state.node}</code></td>
    <td class="nowrap"><${Dot} kind=${kinds[state.state] ?? 'idle'} /> ${state.state} <span class="quiet">${ago(state.since, now)}</span></td>
    <td>${state.state === 'up' ? html`<span class="quiet">${state.last_error ?? ''}</span>` : (state.last_error ?? '')}</td>
    <td class="number">${state.pending}</td>
    <td class="number">${state.connections ?? '–'}</td>
    <td class="number">${state.sockets ?? '–'}</td>
    <td class="number">${state.attempts?.failure ?? '–'}${(state.failures ?? 0) > 0 && html` <span class="bad">${state.failures} in a row</span>`}</td>
    <td class="number">${target.weight}</td>
    <td class="number quiet">${state.last_check ? html`<span title=${state.last_check.problem ?? 'good'} class=${state.last_check.problem ? 'bad' : ''}>${ago(state.last_check.at, now)}</span>` : '–'}</td>
    <td class="number">${mayChange && isFirst && html`<${Button} class="small" run=${() => setDrain(uri, upstream, target).then(again)}>${target.drain ? 'Stop draining' : 'Drain'}<//>`}</td>
  </tr>`

/** @param {string} uri @param {string} upstream @param {UpstreamTarget} target */
const setDrain = (uri, upstream, { url, drain }) =>
  told(
    callText(
      'PUT',
      `${realmPath(uri)}/upstreams/${encodeURIComponent(upstream)}/targets?url=${encodeURIComponent(url)}`,
      { body: { drain: drain ? null : true } },
    ),
    drain ? `${url} gets requests again.` : `${url} gets no new requests.`,
  )

/** @param {{ auth: NonNullable<Upstream['auth']>, now: number }} props */
const Auth = ({ auth: { type, tokens }, now }) => html`
  <h3>Credentials: ${type}</h3>
  ${
    tokens.length > 0 &&
    html`<${Table} label="Tokens" heads=${['Node', ['Token fetched', 'number'], ['Expires', 'number']]}>
      ${tokens.map(
        ({ node, fetched_at, expires_at }) => html`
        <tr key=${node}><td><code>${node}</code></td><td class="number">${ago(fetched_at, now)}</td>
          <td class="number" title=${dateTime(expires_at)}>${expires_at > now ? `in ${duration(expires_at - now)}` : html`<span class="bad">expired</span>`}</td></tr>`,
      )}
    <//>`
  }
  ${type === 'client_credentials' && tokens.length === 0 && html`<${Empty}>There is no token: the first request fetches one.<//>`}`
