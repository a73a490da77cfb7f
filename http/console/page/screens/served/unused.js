/** The routes that nobody has asked for since all processes have been there. */

import { clockTime } from '../../lib/format.js'
import { useRouteUse } from '../../lib/route-use.js'
import { linkTo } from '../../lib/router.js'
import { operationsOf, specStore } from '../../lib/specs.js'
import { useStore } from '../../lib/store.js'
import { Empty, Method, Table, Trouble } from '../../parts/basics.js'
import { html } from '../../preact.js'

const mostRows = 50

export function Unused() {
  const { specs } = useStore(specStore)
  const { find, since, isWhole, error } = useRouteUse()
  if (!isWhole)
    return html`<${Trouble} error=${error} />${since > 0 && html`<${Empty}>Not all gateways report which routes were used.<//>`}`
  const unused = [...specs.values()].flatMap((spec) =>
    operationsOf(spec)
      .filter((operation) => operation.isActive && !find(spec.id, operation))
      .map((operation) => ({ ...operation, id: spec.id })),
  )
  return html`
    <${Empty}>${unused.length} route${unused.length === 1 ? ' was' : 's were'} not used since ${clockTime(since)}.<//>
    <${Table} label="Unused routes">
      ${unused.slice(0, mostRows).map(
        ({ id, method, pattern }) => html`
        <tr><td><${Method} method=${method} /> <code>${pattern}</code></td><td><a href=${linkTo('apis', id)}>${id}</a></td></tr>`,
      )}
    <//>`
}
