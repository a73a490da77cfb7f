/** The realms: users, groups, grants, API keys, and the sessions that have joined. Secrets are never shown. */
import { call, realmPath } from '../lib/api.js'
import { live } from '../lib/live.js'
import { linkTo } from '../lib/router.js'
import { useStore } from '../lib/store.js'
import { Badge, Button, Empty, Panel, Tabs, Trouble, typed, useAnswer } from '../parts/basics.js'
import { Dialog, note, noteError, Question } from '../parts/dialog.js'
import { html, useState } from '../preact.js'

/** @param {{ parts: readonly string[] }} props */
export const Realms = ({ parts: [uri, tab] }) =>
  uri === undefined
    ? html`<${List} />`
    : html`<${Realm} key=${uri} uri=${uri} tab=${tab ?? 'users'} />`

function List() {
  const { events } = useStore(live)
  const { value, error } = useAnswer(() => call('GET', '/realms'), [events.length])
  /** @type {any[]} */
  const realms = value ?? []
  return html`
    <div class="page-head"><h1>Realms <span class="count">${realms.length}</span></h1></div>
    <${Trouble} error=${error} />
    <${Panel}>
      ${value && realms.length === 0 && html`<${Empty}>No realm document is loaded: <code>wamp-gateway load FILE</code> loads one.<//>`}
      <div class="scroll" tabindex="0" role="region" aria-label="Realms"><table class="list">
        <thead><tr><th scope="col">Realm</th><th scope="col">Log in by</th><th scope="col" class="number">Users</th><th scope="col" class="number">Groups</th><th scope="col" class="number">Grants</th></tr></thead>
        <tbody>${realms.map(
          (realm) => html`
          <tr key=${realm.uri}><td><a class="strong" href=${linkTo('realms', realm.uri)}>${realm.uri}</a> <span class="quiet">${realm.description}</span></td>
            <td>${(realm.authmethods ?? []).map((/** @type {string} */ name) => html`<${Badge}>${name}<//> `)}</td>
            <td class="number">${realm.users?.length ?? 0}</td><td class="number">${realm.groups?.length ?? 0}</td>
            <td class="number">${realm.grants?.length ?? 'all allowed'}</td></tr>`,
        )}
        </tbody></table></div>
    <//>`
}

const tabs = ['users', 'groups', 'grants', 'sessions'].map((name) => ({
  name,
  title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
}))

/** @param {{ uri: string, tab: string }} props */
function Realm({ uri, tab }) {
  const { hello, events } = useStore(live)
  const { value, error } = useAnswer(() => call('GET', realmPath(uri)), [uri, events.length])
  const mayChange = hello?.access === 'load'
  return html`
    <div class="page-head"><h1><a class="up" href=${linkTo('realms')}>Realms</a><span class="sep">/</span>${uri}</h1>
      ${mayChange && value && html`<${Keys} uri=${uri} />`}</div>
    <${Trouble} error=${error} />
    <${Tabs} label="About this realm" now=${tab} tabs=${tabs.map((one) => ({ ...one, href: linkTo('realms', uri, one.name), ...(value?.[one.name] && { count: value[one.name].length }) }))} />
    ${tab === 'users' && value && html`<${Users} uri=${uri} users=${value.users ?? []} mayChange=${mayChange} />`}
    ${
      tab === 'groups' &&
      value &&
      html`<${Panel}><ul class="rows">${(value.groups ?? []).map((/** @type {any} */ group) => html`<li><b>${group.name}</b> <span class="quiet">${(group.groups ?? []).join(', ')}</span></li>`)}</ul>
      ${(value.groups ?? []).length === 0 && html`<${Empty}>None.<//>`}<//>`
    }
    ${tab === 'grants' && value && html`<${Grants} grants=${value.grants} />`}
    ${tab === 'sessions' && html`<${Sessions} uri=${uri} />`}`
}

/** @param {{ uri: string }} props */
function Keys({ uri }) {
  const [id, setId] = useState('')
  const [isAsking, setAsking] = useState(false)
  const revoke = () =>
    call('DELETE', `/api_keys/${encodeURIComponent(id.trim())}`).then(
      () => note('The API key is revoked.'),
      noteError,
    )
  const rotate = () =>
    call('POST', `${realmPath(uri)}/rotate_keys`, { body: {} }).then(
      () => note('The realm signs by a new key.'),
      noteError,
    )
  return html`
    <input class="narrow" placeholder="Id of an API key" aria-label="Id of an API key" value=${id} onInput=${typed(setId)} />
    <${Button} disabled=${id.trim() === ''} run=${revoke}>Revoke it<//>
    <button type="button" class="button" onClick=${() => setAsking(true)}>Rotate keys</button>
    ${
      isAsking &&
      html`<${Question} title="Rotate the keys of this realm?" verb="Rotate" close=${() => setAsking(false)} run=${rotate}
      text="New tokens are signed by a new key. Those that were issued stay valid." />`
    }`
}

/** @param {{ uri: string, users: any[], mayChange: boolean }} props */
function Users({ uri, users, mayChange }) {
  const [issued, setIssued] = useState(/** @type {any} */ (undefined))
  const [ended, setEnded] = useState('')
  /** @param {string} name @param {string} what */
  const pathOf = (name, what) => `${realmPath(uri)}/users/${encodeURIComponent(name)}/${what}`
  /** @param {string} name */
  const issue = (name) =>
    call('POST', pathOf(name, 'api_keys'), { body: {} }).then(
      (answer) => setIssued({ ...answer, name }),
      noteError,
    )
  const revokeAll = () =>
    call('POST', pathOf(ended, 'revoke_all'), { body: {} }).then(
      () => note(`Everything issued to ${ended} is revoked.`),
      noteError,
    )
  return html`
    <${Panel}>
      ${users.length === 0 && html`<${Empty}>The realm has no users of its own.<//>`}
      <div class="scroll" tabindex="0" role="region" aria-label="Users"><table class="list">
        <tbody>${users.map(
          ({ username, groups = [], enabled, password, authorized_keys = [] }) => html`
          <tr key=${username}><td><b>${username}</b> ${enabled === false && html`<${Badge} kind="bad">disabled<//>`}</td>
            <td>${groups.map((/** @type {string} */ name) => html`<${Badge}>${name}<//> `)}</td>
            <td class="quiet">${[password && 'password', authorized_keys.length > 0 && `${authorized_keys.length} public keys`].filter(Boolean).join(', ')}</td>
            <td class="number">${
              mayChange &&
              html`<${Button} class="small" run=${() => issue(username)}>Issue API key<//>
              <button type="button" class="button small quiet-danger" onClick=${() => setEnded(username)}>Revoke all</button>`
            }</td></tr>`,
        )}
        </tbody></table></div>
    <//>
    ${
      issued &&
      html`<${Dialog} title=${`An API key of ${issued.name}`} close=${() => setIssued(undefined)}>
      <p>Copy it now: it is shown once. Its id is <code>${issued.id}</code>.</p><pre class="value" tabindex="0">${issued.api_key}</pre><//>`
    }
    ${
      ended &&
      html`<${Question} title=${`Revoke everything of ${ended}?`} verb="Revoke" close=${() => setEnded('')} run=${revokeAll}
      text="Tokens, tickets and API keys end, and so do the sessions. The user may log in again." />`
    }`
}

/** @param {{ grants: any[] | undefined }} props */
const Grants = ({ grants }) => html`
  <${Panel}>
    ${!grants && html`<${Empty}>Without grants everything is allowed, reserved URIs apart.<//>`}
    <div class="scroll" tabindex="0" role="region" aria-label="Grants"><table class="list"><tbody>
      ${(grants ?? []).map(
        ({ roles = [], permissions = [], uri, match, resources }) => html`
        <tr><td>${roles.map((/** @type {string} */ name) => html`<${Badge} kind="info">${name}<//> `)}</td>
          <td>${permissions.join(', ')}</td><td><code>${uri ?? JSON.stringify(resources)}</code> <span class="quiet">${match}</span></td></tr>`,
      )}
    </tbody></table></div>
  <//>`

/** @param {{ uri: string }} props */
function Sessions({ uri }) {
  const { value, error, again } = useAnswer(() => call('GET', `${realmPath(uri)}/sessions`), [uri])
  return html`
    <${Trouble} error=${error} />
    <${Panel} title="WAMP sessions" side=${html`<${Button} class="small" run=${again}>Look again<//>`}>
      ${value?.length === 0 && html`<${Empty}>Nobody has joined.<//>`}
      <div class="scroll" tabindex="0" role="region" aria-label="Sessions"><table class="list"><tbody>
        ${(value ?? []).map(
          (/** @type {any} */ { session, authid, authrole, authmethod, transport }) => html`
          <tr key=${session}><td><b>${authid}</b></td><td><${Badge}>${authrole}<//></td><td>${authmethod}</td>
            <td class="quiet">${transport?.type} ${transport?.peer}</td><td class="number"><code>${session}</code></td></tr>`,
        )}
      </tbody></table></div>
    <//>`
}
