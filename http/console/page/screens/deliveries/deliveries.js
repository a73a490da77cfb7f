/** What documents send for events: all deliveries, or the one or the endpoint that the address names. */
import { call } from '../../lib/api.js'
import { ago } from '../../lib/format.js'
import { linkTo } from '../../lib/router.js'
import { Badge, Empty, Panel, Table, Trouble, useAnswer, useNow } from '../../parts/basics.js'
import { html } from '../../preact.js'
import { Endpoints } from './endpoints.js'
import { everyMs, One, State } from './one-delivery.js'

/** @typedef {import('../../delivery-types.d.ts').Delivery} Delivery */

/** @param {{ parts: readonly string[] }} props */
export function Deliveries({ parts: [id, name, state = 'dead', endpoint] }) {
  if (id === undefined || name === undefined) return html`<${All} />`
  if (state === 'endpoints')
    return html`<${Endpoints} key=${`${id} ${name}`} id=${id} name=${name} />`
  return html`<${One} key=${[id, name, endpoint].join(' ')} id=${id} name=${name} state=${state} endpoint=${endpoint} />`
}

function All() {
  const now = useNow(1_000)
  const { value, error } = useAnswer(
    () => /** @type {Promise<{ deliveries: Delivery[] }>} */ (call('GET', '/deliveries')),
    [Math.floor(now / everyMs)],
  )
  const { deliveries = [] } = value ?? {}
  return html`
    <div class="page-head"><h1>Deliveries</h1></div>
    <${Panel}>
      <${Trouble} error=${error} />
      ${value && deliveries.length === 0 && html`<${Empty}>No document has <code>deliveries</code>.<//>`}
      ${
        deliveries.length > 0 &&
        html`<${Table} label="Deliveries" heads=${['Delivery', 'Topic', 'State', ['Pending', 'number'], ['Dead', 'number'], ['Oldest', 'number'], ['Gaps', 'number'], 'Owner']}>
        ${deliveries.map(
          (one) => html`
          <tr key=${`${one.realm_uri} ${one.api_spec} ${one.name}`}>
            <td><a class="strong" href=${linkTo('deliveries', one.api_spec, one.name, ...(one.has_endpoints ? ['endpoints'] : []))}>${one.name}</a> <span class="quiet">${one.api_spec}</span>${!one.is_declared && html` <${Badge} kind="warn">not declared<//>`}</td>
            <td><code>${one.topic ?? '–'}</code></td>
            <td class="nowrap"><${State} of=${one} /></td>
            <td class="number">${one.pending}</td>
            <td class=${`number ${one.dead > 0 ? 'bad' : ''}`}>${one.dead}</td>
            <td class="number quiet">${one.oldest_at === null ? '–' : ago(one.oldest_at, now)}</td>
            <td class="number">${one.gaps}</td>
            <td>${one.owner ? html`<code>${one.owner}</code>` : html`<span class="bad">none</span>`}</td>
          </tr>`,
        )}
      <//>`
      }
    <//>`
}
