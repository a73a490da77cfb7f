/** The realms: users, groups, grants, API keys, logins, and the sessions that have joined. Secrets are never shown. */
import { call, realmPath } from '../lib/api.js'
import { live } from '../lib/live.js'
import { linkTo } from '../lib/router.js'
import { useStore } from '../lib/store.js'
import { Badge, Empty, Icon, Panel, Table, Tabs, Trouble, useAnswer } from '../parts/basics.js'
import { Question, told } from '../parts/dialog.js'
import { html, useState } from '../preact.js'
import { ApiKeys, Logins, Sessions } from './credentials.js'
import { EditPart } from './realm-part.js'
import { Upstreams } from './upstreams.js'
import { Grants, Users } from './users.js'

/** @param {{ parts: readonly string[] }} props */
export const Realms = ({ parts: [uri, tab, part] }) =>
  uri === undefined
    ? html`<${List} />`
    : html`<${Realm} key=${uri} uri=${uri} tab=${tab ?? 'users'} part=${part} />`

function List() {
  const { events, hello } = useStore(live)
  const { value, error } = useAnswer(() => call('GET', '/realms'), [events.length])
  /** @type {any[]} */
  const realms = value ?? []
  return html`
    <div class="page-head"><h1>Realms <span class="count">${realms.length}</span></h1>
      ${hello?.access === 'load' && hello.within === null && html`<a class="button" href=${linkTo('new-realm')}><${Icon} name="plus" /> New realm</a>`}</div>
    <${Trouble} error=${error} />
    <${Panel}>
      ${value && realms.length === 0 && html`<${Empty}>No realm document is loaded.<//>`}
      <${Table} label="Realms" heads=${['Realm', 'Log in by', ['Users', 'number'], ['Groups', 'number'], ['Grants', 'number']]}>
        ${realms.map(
          (realm) => html`
          <tr key=${realm.uri}><td><a class="strong" href=${linkTo('realms', realm.uri)}>${realm.uri}</a> <span class="quiet">${realm.description}</span></td>
            <td>${(realm.authmethods ?? []).map((/** @type {string} */ name) => html`<${Badge}>${name}<//> `)}</td>
            <td class="number">${realm.users?.length ?? 0}</td><td class="number">${realm.groups?.length ?? 0}</td>
            <td class="number">${realm.grants?.length ?? 'all allowed'}</td></tr>`,
        )}
      <//>
    <//>`
}

/** @type {Record<string, (props: any) => unknown>} */
const screens = {
  users: Users,
  groups: ({ realm: { groups = [] } }) => html`
    <${Panel}><ul class="rows">${groups.map((/** @type {any} */ group) => html`<li><b>${group.name}</b> <span class="quiet">${(group.groups ?? []).join(', ')}</span></li>`)}</ul>
    ${groups.length === 0 && html`<${Empty}>None.<//>`}<//>`,
  scopes: ({ realm: { scopes = {} } }) => html`
    <${Panel}><ul class="rows">${Object.entries(scopes).map(([name, scope]) => html`<li><b>${name}</b> <span class="quiet">${scope.roles.join(', ')}${scope.description && ` – ${scope.description}`}</span></li>`)}</ul>
    ${Object.keys(scopes).length === 0 && html`<${Empty}>None.<//>`}<//>`,
  grants: Grants,
  upstreams: Upstreams,
  keys: ApiKeys,
  logins: Logins,
  sessions: Sessions,
}

/** @param {object | undefined} all a list or a map */
const countOf = (all) => (all ? { count: Object.keys(all).length } : {})

/** @param {string} name */
const titleOf = (name) =>
  name === 'keys' ? 'API keys' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** @param {{ uri: string, tab: string, part: string | undefined }} props */
function Realm({ uri, tab, part }) {
  const { hello, events } = useStore(live)
  const { value: realm, error } = useAnswer(() => call('GET', realmPath(uri)), [uri, events.length])
  const [isAsking, setAsking] = useState(false)
  const mayChange = hello?.access === 'load'
  const tabs = Object.keys(screens).map((name) => ({
    ...{ name, title: titleOf(name), href: linkTo('realms', uri, name) },
    ...countOf(realm?.[name] ?? realm?.info?.[name]),
  }))
  const rotate = () =>
    told(
      call('POST', `${realmPath(uri)}/rotate_keys`, { body: {} }),
      'The realm signs by a new key.',
    )
  return html`
    <div class="page-head"><h1><a class="up" href=${linkTo('realms')}>Realms</a><span class="sep">/</span>${uri}</h1>
      ${mayChange && realm && html`<button type="button" class="button" onClick=${() => setAsking(true)}>Rotate keys</button>`}</div>
    <${Trouble} error=${error} />
    <${Tabs} label="About this realm" now=${tab} tabs=${tabs} />
    ${
      realm &&
      (part === undefined
        ? html`<${screens[tab] ?? Users} uri=${uri} realm=${realm} mayChange=${mayChange} />`
        : html`<${EditPart} key=${part} uri=${uri} kind=${tab} part=${part} version=${realm.ts} />`)
    }
    ${
      isAsking &&
      html`<${Question} title="Rotate the keys of this realm?" verb="Rotate" close=${() => setAsking(false)} run=${rotate}
      text="New tokens are signed by a new key. Those that were issued stay valid." />`
    }`
}
