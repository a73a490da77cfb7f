/** One API Specification: its document, routes, procedures, versions, description and examples. */

import { call, specPath } from '../lib/api.js'
import { dateTime } from '../lib/format.js'
import { live } from '../lib/live.js'
import { goTo, linkTo } from '../lib/router.js'
import { operationsOf, specStore } from '../lib/specs.js'
import { useStore } from '../lib/store.js'
import { Tabs } from '../parts/basics.js'
import { Dashboard } from '../parts/dashboard.js'
import { note, Question } from '../parts/dialog.js'
import { html, useState } from '../preact.js'
import { Description, Examples } from './contract.js'
import { DocumentTab } from './document.js'
import { Procedures } from './served/procedures.js'
import { Routes } from './served/routes.js'
import { Usage } from './usage.js'
import { Versions } from './versions.js'

const tabs = [
  { name: 'document', title: 'Document' },
  { name: 'routes', title: 'Routes' },
  { name: 'procedures', title: 'Procedures' },
  { name: 'versions', title: 'Versions' },
  { name: 'openapi', title: 'OpenAPI' },
  { name: 'examples', title: 'Examples' },
  { name: 'usage', title: 'Usage and cache' },
]

/** @param {{ id: string, tab: string }} props */
export function Api({ id, tab }) {
  const { specs, isLoaded } = useStore(specStore)
  const { hello } = useStore(live)
  const [isAsking, setAsking] = useState(false)
  const spec = specs.get(id)
  const operations = operationsOf(spec)
  /** @type {Readonly<Record<string, number>>} */
  const counts = {
    routes: operations.length,
    procedures: Object.keys(spec?.procedures ?? {}).length,
  }
  const shown = tabs.map((one) => ({
    ...one,
    href: linkTo('apis', id, one.name),
    ...(one.name in counts && { count: counts[one.name] }),
  }))
  const remove = async () => {
    await call('DELETE', specPath(id))
    note(`${id} is deleted.`)
    goTo('apis')
  }
  return html`
    <div class="page-head"><h1><a class="up" href=${linkTo('apis')}>APIs</a><span class="sep">/</span>${id}</h1></div>
    ${
      spec &&
      html`
      <p class="facts">
        ${spec.name && html`<span>${spec.name}</span>`}
        ${spec.host && html`<span>host <code>${spec.host}</code></span>`}<span>realm <a href=${linkTo('realms', spec.realm_uri ?? '')}>${spec.realm_uri}</a></span>
        <span>loaded ${dateTime(spec.ts)}</span>
        ${hello?.grafana && html`<span><${Dashboard} url=${hello.grafana} api=${id} /></span>`}
      </p>`
    }
    ${isLoaded && !spec && html`<p class="trouble">This API Specification is not loaded. Its versions may still be there.</p>`}
    <${Tabs} label="About this API" tabs=${shown} now=${tab} />
    ${tab === 'document' && spec && html`<${DocumentTab} id=${id} />`}
    ${tab === 'routes' && html`<${Routes} id=${id} spec=${spec} operations=${operations} />`}
    ${tab === 'procedures' && spec && html`<${Procedures} id=${id} spec=${spec} />`}
    ${
      tab === 'versions' &&
      html`<${Versions} id=${id} ts=${spec?.ts ?? 0} />
      ${hello?.access === 'load' && spec && html`<p class="below"><button type="button" class="button quiet-danger" onClick=${() => setAsking(true)}>Delete this API</button></p>`}`
    }
    ${tab === 'openapi' && spec && html`<${Description} spec=${spec} />`}
    ${tab === 'examples' && spec && html`<${Examples} id=${id} ts=${spec.ts} />`}
    ${tab === 'usage' && spec && html`<${Usage} id=${id} />`}
    ${
      isAsking &&
      html`<${Question} title="Delete this API?" verb="Delete" run=${remove} close=${() => setAsking(false)}
      text=${html`No node will serve <code>${id}</code>. Its versions are kept for some days.`} />`
    }`
}
