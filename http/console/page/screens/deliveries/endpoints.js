/** The endpoints that users have at one delivery: whose they are, how they are, and what operators do about them. */
import { call } from '../../lib/api.js'
import { ago, dateTime } from '../../lib/format.js'
import { live } from '../../lib/live.js'
import { linkTo } from '../../lib/router.js'
import { useStore } from '../../lib/store.js'
import {
  Badge,
  Button,
  Empty,
  Panel,
  Table,
  Trouble,
  useAnswer,
  useNow,
} from '../../parts/basics.js'
import { note, noteError, Question } from '../../parts/dialog.js'
import { html, useState } from '../../preact.js'
import { everyMs, pathOf, State } from './one-delivery.js'

/** @typedef {import('../../delivery-types.d.ts').DeliveryEndpoint} DeliveryEndpoint */

/** @param {{ id: string, name: string }} props */
export function Endpoints({ id, name }) {
  const { hello } = useStore(live)
  const now = useNow(1_000)
  const [removed, setRemoved] = useState(/** @type {DeliveryEndpoint | undefined} */ (undefined))
  const at = `${pathOf(id, name)}/endpoints`
  const { value, error, again } = useAnswer(
    () => /** @type {Promise<{ endpoints: DeliveryEndpoint[] }>} */ (call('GET', at)),
    [at, Math.floor(now / everyMs)],
  )
  const { endpoints = [] } = value ?? {}
  /** @param {DeliveryEndpoint} one */
  const remove = ({ id: endpoint }) =>
    call('DELETE', `${at}/${encodeURIComponent(endpoint)}`).then(() => {
      note(`${endpoint} is removed.`)
      again()
    }, noteError)
  return html`
    <div class="page-head"><h1><a class="up" href=${linkTo('deliveries')}>Deliveries</a><span class="sep">/</span>${name}</h1></div>
    <p class="facts"><span>of <a href=${linkTo('apis', id)}>${id}</a></span><span>${endpoints.length} endpoints of users</span></p>
    <${Panel} title="Endpoints">
      <${Trouble} error=${error} />
      ${value && endpoints.length === 0 && html`<${Empty}>No user has added one: an operation with the action <code>delivery_endpoint</code> adds them.<//>`}
      ${
        endpoints.length > 0 &&
        html`<${Table} label="Endpoints" heads=${['Endpoint', 'User', 'State', ['Pending', 'number'], ['Dead', 'number'], ['Gaps', 'number'], ['Added', 'number'], '']}>
        ${endpoints.map(
          (one) => html`
          <tr key=${one.id}>
            <td><a class="strong" href=${linkTo('deliveries', id, name, one.dead > 0 ? 'dead' : 'pending', one.id)}>${one.id}</a><br /><code>${one.url}</code></td>
            <td>${one.user}${one.is_permitted === false && html` <${Badge} kind="bad" title="The user may not subscribe to the topic: no event is sent.">not permitted<//>`}</td>
            <td class="nowrap"><${State} of=${one} /></td>
            <td class="number">${one.pending}</td>
            <td class=${`number ${one.dead > 0 ? 'bad' : ''}`}>${one.dead}</td>
            <td class="number">${one.gaps}</td>
            <td class="number quiet" title=${dateTime(Date.parse(one.created_at))}>${ago(Date.parse(one.created_at), now)}</td>
            <td class="number nowrap">${hello?.access === 'load' && html`<${Button} class="small quiet-danger" run=${async () => setRemoved(one)}>Remove<//>`}</td>
          </tr>`,
        )}
      <//>`
      }
    <//>
    ${
      removed &&
      html`<${Question} title=${`Remove the endpoint of ${removed.user}?`} verb="Remove" close=${() => setRemoved(undefined)}
      run=${() => remove(removed)} text=${`What waits for ${removed.url} goes with it. The user may add it again.`} />`
    }`
}
