/** The routes of an API Specification: what each of them does, and when it was asked for last. */

import { ago, clockTime, count } from '../../lib/format.js'
import { protectionText, securityOf } from '../../lib/protection.js'
import { useRouteUse } from '../../lib/route-use.js'
import { linkTo } from '../../lib/router.js'
import { targetOf } from '../../lib/target.js'
import { Badge, Empty, Method, Panel, Table, Trouble, useNow } from '../../parts/basics.js'
import { html } from '../../preact.js'

/** The first of the actions of an operation. @param {any} operation */
const actionOf = (operation) => [operation?.action].flat()[0]

/** @param {{ id: string, spec: import('../../types.d.ts').Spec | undefined, operations: ReturnType<typeof import('../../lib/specs.js').operationsOf> }} props */
export function Routes({ id, spec, operations }) {
  const { find, since, isWhole, error } = useRouteUse(id)
  const now = useNow(5_000)
  const shown = operations.map((one) => ({ ...one, use: find(id, one) }))
  const unused = shown.filter(({ use }) => !use).length
  return html`
    <${Trouble} error=${error} />
    <${Panel} title="Routes" side=${since > 0 && `${isWhole ? `${unused} not used` : 'use is known in part'} since ${clockTime(since)}`}>
      ${operations.length === 0 && html`<${Empty}>The document has no operations.<//>`}
      <${Table} label="Routes" heads=${['Route', 'Version', 'Action', 'Target', 'Access', ['Requests', 'number'], ['Last used', 'number'], '']}>
        ${shown.map(
          ({ method, pattern, version, path, isActive, operation, use }) => html`
          <tr>
            <td><${Method} method=${method} /> <code>${pattern}</code></td>
            <td><${Badge} kind=${isActive ? 'info' : ''}>${version}<//></td>
            <td>${actionOf(operation)?.type}</td>
            <td><code>${targetOf(actionOf(operation))}</code></td>
            <td>${protectionText(securityOf(spec, { version, path, operation })) || html`<span class="quiet">anybody</span>`}</td>
            <td class="number">${use ? count(use.count) : ''}</td>
            <td class="number quiet">${use ? ago(use.used_at, now) : isWhole ? 'never' : '–'}</td>
            <td class="number"><a href=${linkTo('try', method, pattern)}>explain</a></td>
          </tr>`,
        )}
      <//>
    <//>`
}
