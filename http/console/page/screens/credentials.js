/** The API keys of a realm, the logins that have come to the gateways, and the WAMP sessions that have joined. */
import { call, callText, realmPath } from '../lib/api.js'
import { dateTime } from '../lib/format.js'
import {
  Badge,
  Button,
  Empty,
  Icon,
  Panel,
  Table,
  Trouble,
  typed,
  useAnswer,
} from '../parts/basics.js'
import { Dialog, noteError, told } from '../parts/dialog.js'
import { html, useState } from '../preact.js'

/** @typedef {{ id: string, api_key: string, user: string }} IssuedKey */

/** @param {string} uri @param {string} user @param {string} [name] what the key is for @returns {Promise<IssuedKey>} */
const issueKey = async (uri, user, name) => ({
  ...(await call('POST', `${realmPath(uri)}/users/${encodeURIComponent(user)}/api_keys`, {
    body: name ? { name } : {},
  })),
  user,
})

/** A key that was issued: it is shown once. @param {IssuedKey & { close: () => void }} props */
export const Issued = ({ id, api_key, user, close }) => html`
  <${Dialog} title=${`An API key of ${user}`} close=${close}>
    <p>Copy it now: it is shown once. Its id is <code>${id}</code>.</p><pre class="value" tabindex="0">${api_key}</pre><//>`

/** @param {{ value: string, set: (value: string) => void }} props */
const KeyName = ({ value, set }) =>
  html`<input aria-label="Name of the key" placeholder="Name (optional)" maxlength="100" value=${value} onInput=${typed(set)} />`

/** Asks what a key of a user is for, and issues it. @param {{ uri: string, user: string, done: (key: IssuedKey) => void, close: () => void }} props */
export function KeyQuestion({ uri, user, done, close }) {
  const [name, setName] = useState('')
  const issue = () => issueKey(uri, user, name).then(done, noteError).then(close)
  return html`
    <${Dialog} title=${`A new API key of ${user}`} close=${close}
      actions=${html`<${Button} class="primary" run=${issue}>Issue<//>`}>
      <p>The name says what the key is for, such as the program that uses it.</p>
      <p><${KeyName} value=${name} set=${setName} /></p><//>`
}

/**
 * A list that is asked for.
 * @param {{ uri: string, path: string, title: string, none: string, heads: readonly string[], member?: string, row: (one: any, again: () => void) => unknown,
 *   above?: (again: () => void) => unknown }} props
 */
function Listed({ uri, path, title, none, heads, member, row, above }) {
  const { value, error, again } = useAnswer(() => call('GET', `${realmPath(uri)}/${path}`), [uri])
  /** @type {any[]} */
  const all = (member ? value?.[member] : value) ?? []
  const unheard = value?.unheard ?? []
  return html`
    <${Trouble} error=${error} />
    <${Panel} title=${title} side=${html`${unheard.length > 0 && `no response from ${unheard.join(', ')} `}<${Button} class="small" run=${again}>Refresh<//>`}>
      ${above?.(again)}
      ${value && all.length === 0 && html`<${Empty}>${none}<//>`}
      ${all.length > 0 && html`<${Table} label=${title} heads=${heads}>${all.map((one) => row(one, again))}<//>`}
    <//>`
}

/** Issues a key to a user of the realm. @param {{ uri: string, names: readonly string[], done: () => void }} props */
function NewKey({ uri, names, done }) {
  const [user, setUser] = useState(names[0] ?? '')
  const [name, setName] = useState('')
  const [issued, setIssued] = useState(/** @type {IssuedKey | undefined} */ (undefined))
  const issue = () =>
    issueKey(uri, user, name).then((key) => {
      setIssued(key)
      setName('')
      done()
    }, noteError)
  return html`
    <p class="toolbar">
      <select aria-label="User" onChange=${typed(setUser)}>${names.map((each) => html`<option value=${each}>${each}</option>`)}</select>
      <${KeyName} value=${name} set=${setName} />
      <${Button} disabled=${user === ''} run=${issue}><${Icon} name="plus" /> New API key<//>
    </p>
    ${issued && html`<${Issued} ...${issued} close=${() => setIssued(undefined)} />`}`
}

/** @param {{ uri: string, realm: any, mayChange: boolean }} props */
export const ApiKeys = ({ uri, realm: { users = [] }, mayChange }) => html`
  <${Listed} uri=${uri} path="api_keys" title="API keys" none=${users.length > 0 ? 'None.' : 'None. API keys belong to users, and this realm has no users.'} heads=${['Name', 'User', 'Last used', 'Issued', 'Expires', '']}
    above=${(/** @type {() => void} */ again) =>
      mayChange &&
      users.length > 0 &&
      html`<${NewKey} uri=${uri} names=${users.map((/** @type {any} */ { username }) => username)} done=${again} />`}
    row=${(
      /** @type {any} */ { id, name, username, ts, exp, last_used },
      /** @type {() => void} */ again,
    ) => html`
      <tr key=${id}><td>${name}<div class="quiet"><code>${id}</code></div></td><td><b>${username}</b></td><td class="nowrap">${last_used ? dateTime(last_used * 1000) : html`<span class="quiet">not known</span>`}</td><td class="nowrap">${dateTime(ts)}</td><td class="nowrap">${exp ? dateTime(exp * 1000) : 'never'}</td>
        <td class="number">${mayChange && html`<${Button} class="small quiet-danger" run=${() => told(callText('DELETE', `/api_keys/${encodeURIComponent(id)}`), 'The API key is revoked.').then(again)}>Revoke<//>`}</td></tr>`} />`

/** @param {{ uri: string, mayChange: boolean }} props */
export const Logins = ({ uri, mayChange }) => html`
  <${Listed} uri=${uri} path="tickets" member="sessions" title="Logins" none="No ticket was used at the gateways since they started." heads=${['User', 'By', 'Since', 'Seen', 'Address', 'Node', '']}
    row=${(/** @type {any} */ one, /** @type {() => void} */ again) => html`
      <tr key=${one.id}><td><b>${one.authid}</b></td><td><${Badge}>${one.provider ?? one.authmethod}<//></td><td>${dateTime(one.issued_at * 1000)}</td>
        <td>${dateTime(one.seen_at * 1000)}</td><td class="quiet">${one.address}</td><td><code>${one.node}</code></td>
        <td class="number">${mayChange && html`<${Button} class="small quiet-danger" run=${() => told(call('POST', `${realmPath(uri)}/end_sessions`, { body: { authid: one.authid } }), `${one.authid} is logged out everywhere.`).then(again)}>Log out<//>`}</td></tr>`} />`

/** @param {{ uri: string }} props */
export const Sessions = ({ uri }) => html`
  <${Listed} uri=${uri} path="sessions" title="WAMP sessions" none="No session has joined this realm." heads=${['User', 'Role', 'By', 'Transport', 'Session']}
    row=${(/** @type {any} */ { session, authid, authrole, authmethod, transport }) => html`
      <tr key=${session}><td><b>${authid}</b></td><td><${Badge}>${authrole}<//></td><td>${authmethod}</td>
        <td class="quiet">${transport?.type} ${transport?.peer}</td><td><code>${session}</code></td></tr>`} />`
