/** One delivery, or one endpoint of a user at it: its state, its events and gaps, and what operators do about them. */
import { call, specPath } from '../../lib/api.js'
import { ago, dateTime } from '../../lib/format.js'
import { live } from '../../lib/live.js'
import { linkTo } from '../../lib/router.js'
import { useStore } from '../../lib/store.js'
import {
  Button,
  Dot,
  Empty,
  Panel,
  Table,
  Tabs,
  Trouble,
  useAnswer,
  useNow,
} from '../../parts/basics.js'
import { Dialog, note, noteError, Question } from '../../parts/dialog.js'
import { html, useState } from '../../preact.js'

/** @typedef {import('../../delivery-types.d.ts').Delivery} Delivery */
/** @typedef {import('../../delivery-types.d.ts').DeliveryEvent} DeliveryEvent */
/** @typedef {import('../../delivery-types.d.ts').DeliveryGap} DeliveryGap */

/** Milliseconds from one look to the next. */
export const everyMs = 3_000

/** @type {Record<string, 'good' | 'warn' | 'bad' | 'idle'>} */
const kinds = { active: 'good', failing: 'bad', stopped: 'bad', paused: 'warn', inactive: 'idle' }

/** @param {string} id @param {string} name */
export const pathOf = (id, name) => `${specPath(id)}/deliveries/${encodeURIComponent(name)}`

/** @param {{ of: { state: string, reason: string | null } }} props */
export const State = ({ of: { state, reason } }) =>
  html`<${Dot} kind=${kinds[state] ?? 'idle'} /> ${state}${reason && html` <span class="bad">${reason}</span>`}`

const states = [
  { name: 'dead', title: 'Dead' },
  { name: 'pending', title: 'Pending' },
  { name: 'held', title: 'Held' },
  { name: 'done', title: 'Done' },
]

/** @param {{ id: string, name: string, state: string, endpoint?: string }} props */
export function One({ id, name, state, endpoint }) {
  const { hello } = useStore(live)
  const now = useNow(1_000)
  const [dropped, setDropped] = useState(
    /** @type {{ title: string, events: object } | undefined} */ (undefined),
  )
  const [shown, setShown] = useState(/** @type {any} */ (undefined))
  const of = endpoint === undefined ? undefined : { endpoint }
  const shownName = endpoint ?? name
  /** @param {string} path @param {Record<string, string>} [query] */
  const at = (path, query) => {
    const asked = new URLSearchParams({ ...query, ...of })
    return `${pathOf(id, name)}/${path}${asked.size > 0 ? `?${asked}` : ''}`
  }
  const { value, error, again } = useAnswer(
    () =>
      /** @type {Promise<{ delivery: Delivery, events: DeliveryEvent[], cursor: string | null, gaps: DeliveryGap[] }>} */ (
        call('GET', at('events', { state }))
      ),
    [id, name, endpoint, state, Math.floor(now / everyMs)],
  )
  const { delivery, events = [], cursor, gaps = [] } = value ?? {}
  /** @param {string} verb @param {object} body @param {(answer: any) => string} text */
  const act = (verb, body, text) =>
    call('POST', at(verb), { body }).then((answer) => {
      note(text(answer))
      again()
    }, noteError)
  /** @param {string} webhook_id */
  const look = (webhook_id) =>
    call('GET', at(`events/${encodeURIComponent(webhook_id)}`)).then(setShown, noteError)
  const isHeld = delivery?.state === 'paused' || delivery?.state === 'stopped'
  const mayChange = hello?.access === 'load'
  return html`
    <div class="page-head"><h1><a class="up" href=${linkTo('deliveries')}>Deliveries</a><span class="sep">/</span>${of === undefined ? name : html`<a class="up" href=${linkTo('deliveries', id, name, 'endpoints')}>${name}</a><span class="sep">/</span>${endpoint}`}</h1>
      ${
        mayChange &&
        delivery &&
        html`
        <${Button} run=${() => act('test', {}, ({ status, error: why }) => (status ? `The receiver of the test returned ${status}.` : `The test failed: ${why}.`))}>Test<//>
        ${
          isHeld
            ? html`<${Button} run=${() => act('resume', {}, () => `${shownName} is resumed.`)}>Resume<//>`
            : html`<${Button} run=${() => act('pause', {}, () => `${shownName} is paused: events are accepted, and wait.`)}>Pause<//>`
        }`
      }</div>
    <${Trouble} error=${error} />
    ${
      delivery &&
      html`<p class="facts"><span class="nowrap"><${State} of=${delivery} /></span><span>of <a href=${linkTo('apis', id)}>${id}</a></span>
      <span>topic <code>${delivery.topic ?? '–'}</code></span><span>${delivery.pending} pending</span><span>${delivery.dead} dead</span>
      <span>owner ${delivery.owner ? html`<code>${delivery.owner}</code>` : html`<span class="bad">none</span>`}</span></p>`
    }
    <${Tabs} label="Events by state" now=${state} tabs=${states.map((one) => ({ ...one, href: linkTo('deliveries', id, name, one.name, ...Object.values(of ?? {})) }))} />
    <${Panel} title="Events" side=${
      mayChange &&
      events.length > 0 &&
      html`
      ${state !== 'held' && html`<${Button} class="small" run=${() => act('replay', { state }, ({ count }) => `Queued to be sent now: ${count}.`)}>Replay all<//>`}
      <${Button} class="small" run=${async () => setDropped({ title: `Drop all that are ${state}?`, events: { state } })}>Drop all<//>`
    }>
      ${value && events.length === 0 && html`<${Empty}>No ${state} events.<//>`}
      ${
        events.length > 0 &&
        html`<${Table} label="Events" heads=${['Event', 'Topic', 'Why', ['Attempts', 'number'], ['Accepted', 'number'], ['Due', 'number'], '']}>
        ${events.map(
          (event) => html`
          <tr key=${event.webhook_id}><td><code>${event.webhook_id}</code></td><td><code>${event.topic}</code></td>
            <td>${event.reason && html`<span class="bad">${event.reason}</span> `}${event.status ?? event.error ?? ''}</td>
            <td class="number">${event.attempts}</td><td class="number quiet" title=${dateTime(event.accepted_at)}>${ago(event.accepted_at, now)}</td>
            <td class="number quiet">${event.due_at === null ? '–' : dateTime(event.due_at)}</td>
            <td class="number nowrap">${
              mayChange &&
              html`<${Button} class="small" run=${() => look(event.webhook_id)}>Show<//>
              ${state !== 'held' && html`<${Button} class="small" run=${() => act('replay', { webhook_ids: [event.webhook_id] }, () => `${event.webhook_id} is queued to be sent now.`)}>Replay<//>`}
              <${Button} class="small quiet-danger" run=${async () => setDropped({ title: `Drop ${event.webhook_id}?`, events: { webhook_ids: [event.webhook_id] } })}>Drop<//>`
            }</td></tr>`,
        )}
      <//>`
      }
      ${cursor && html`<p class="hint">There are more: <code>wamp-gateway deliveries ${id} ${name} --state ${state}${of && ` --endpoint ${endpoint}`}</code> lists them.</p>`}
    <//>
    <${Gaps} gaps=${gaps} />
    ${shown && html`<${Dialog} class="wide" title=${shown.webhook_id} close=${() => setShown(undefined)}><pre class="value" tabindex="0">${JSON.stringify(shown, null, 2)}</pre><//>`}
    ${
      dropped &&
      html`<${Question} title=${dropped.title} verb="Drop" close=${() => setDropped(undefined)}
      run=${() => act('drop', dropped.events, ({ count }) => `Dropped: ${count}.`)} text="They are removed, and can no longer be sent." />`
    }`
}

/** @param {{ gaps: readonly DeliveryGap[] }} props */
const Gaps = ({ gaps }) => html`
  <${Panel} title="Gaps">
    ${gaps.length === 0 && html`<${Empty}>No events were missed.<//>`}
    ${
      gaps.length > 0 &&
      html`<${Table} label="Gaps" heads=${['Why', 'Since', 'Until', ['Events', 'number']]}>
      ${gaps.map(
        ({ reason, since, until, count }) => html`
        <tr key=${since + reason}><td>${reason}</td><td>${dateTime(Date.parse(since))}</td><td>${dateTime(Date.parse(until))}</td><td class="number">${count ?? 'not known'}</td></tr>`,
      )}
    <//>`
    }
  <//>`
