/** The API Specifications: all of them, and the one that is chosen. */

import { ago } from '../lib/format.js'
import { live } from '../lib/live.js'
import { useRouteUse } from '../lib/route-use.js'
import { linkTo } from '../lib/router.js'
import { operationsOf, specStore } from '../lib/specs.js'
import { useStore } from '../lib/store.js'
import { Badge, Empty, Icon, Panel, Table, Trouble, typed, useNow } from '../parts/basics.js'
import { html, useState } from '../preact.js'
import { Api } from './api.js'

/** More rows wait for a filter. */
const mostRows = 200

/** @param {{ parts: readonly string[] }} props */
export const Apis = ({ parts: [id, tab] }) =>
  id === undefined
    ? html`<${List} />`
    : html`<${Api} key=${id} id=${id} tab=${tab ?? 'document'} />`

function List() {
  const { specs, isLoaded, problem } = useStore(specStore)
  const { hello } = useStore(live)
  const [filter, setFilter] = useState('')
  const now = useNow(5_000)
  const { routes, isWhole } = useRouteUse()
  /** @type {Map<string, number>} */
  const usedAt = new Map()
  for (const { api, used_at } of routes) usedAt.set(api, Math.max(used_at, usedAt.get(api) ?? 0))
  const wanted = filter.toLowerCase()
  const found = [...specs.values()]
    .filter(({ id, name = '', host = '', realm_uri = '' }) =>
      `${id} ${name} ${host} ${realm_uri}`.toLowerCase().includes(wanted),
    )
    .sort((a, b) => a.id.localeCompare(b.id))
  return html`
    <div class="page-head">
      <h1>APIs <span class="count">${specs.size}</span></h1>
      <input type="search" class="filter" placeholder="Filter  /" aria-label="Filter the APIs" value=${filter}
        onInput=${typed(setFilter)} />
      ${hello?.access === 'load' && html`<a class="button primary" href=${linkTo('new')}><${Icon} name="plus" /> New API</a>`}
    </div>
    <${Trouble} error=${problem} />
    <${Panel}>
      ${
        isLoaded && found.length === 0
          ? html`<${Empty}>${specs.size === 0 ? 'No API Specification is loaded yet.' : 'Nothing matches the filter.'}<//>`
          : html`
          <${Table} label="APIs" heads=${['Id', 'Host', 'Realm', 'Versions', ['Operations', 'number'], ['Procedures', 'number'], ['Last used', 'number'], ['Loaded', 'number']]}>
              ${found.slice(0, mostRows).map(
                (spec) => html`
                <tr key=${spec.id}>
                  <td><a class="strong" href=${linkTo('apis', spec.id)}>${spec.id}</a>${spec.name && html` <span class="quiet">${spec.name}</span>`}</td>
                  <td><code>${spec.host}</code></td>
                  <td>${spec.realm_uri}</td>
                  <td>${Object.entries(spec.versions ?? {}).map(
                    ([version, { is_active }]) =>
                      html`<${Badge} kind=${is_active === false ? '' : 'info'} title=${is_active === false ? 'not active' : undefined}>${version}<//> `,
                  )}</td>
                  <td class="number">${operationsOf(spec).length}</td>
                  <td class="number">${Object.keys(spec.procedures ?? {}).length || ''}</td>
                  <td class="number quiet">${usedAt.has(spec.id) ? ago(Number(usedAt.get(spec.id)), now) : isWhole && !spec.procedures ? 'never' : '–'}</td>
                  <td class="number quiet">${ago(spec.ts, now)}</td>
                </tr>`,
              )}
          <//>
          ${found.length > mostRows && html`<${Empty}>${found.length - mostRows} more: filter them.<//>`}`
      }
    <//>`
}
