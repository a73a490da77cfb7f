/** The users and the grants of a realm. */
import { call, callText, realmPath } from '../lib/api.js'
import { linkTo } from '../lib/router.js'
import { Badge, Button, Empty, Icon, Panel, Table } from '../parts/basics.js'
import { Question, told } from '../parts/dialog.js'
import { html, useState } from '../preact.js'
import { Issued, KeyQuestion } from './credentials.js'

/** @param {{ to: string, children?: unknown }} props */
const New = ({ to, children }) =>
  html`<p class="toolbar"><a class="button" href=${to}><${Icon} name="plus" /> ${children}</a></p>`

/** Asks before something ends. @typedef {{ title: string, verb: string, text: string, run: () => Promise<unknown> }} Asked */

/** @param {{ uri: string, realm: any, mayChange: boolean }} props */
export function Users({ uri, realm: { users = [] }, mayChange }) {
  const [issued, setIssued] = useState(/** @type {any} */ (undefined))
  const [asked, ask] = useState(/** @type {Asked | undefined} */ (undefined))
  const [keyOf, setKeyOf] = useState('')
  /** @param {string} name @param {string} [what] */
  const pathOf = (name, what = '') => `${realmPath(uri)}/users/${encodeURIComponent(name)}${what}`
  /** @param {string} name @returns {Asked} */
  const revokeAll = (name) => ({
    title: `Revoke everything of ${name}?`,
    verb: 'Revoke',
    text: 'Tokens, tickets and API keys end, and so do the sessions. The user may log in again.',
    run: () =>
      told(
        call('POST', pathOf(name, '/revoke_all'), { body: {} }),
        `Everything issued to ${name} is revoked.`,
      ),
  })
  /** @param {string} name @returns {Asked} */
  const remove = (name) => ({
    title: `Delete ${name}?`,
    verb: 'Delete',
    text: 'Everything that was issued to the user ends.',
    run: () => told(callText('DELETE', pathOf(name)), `${name} is deleted.`),
  })
  return html`
    <${Panel}>
      ${mayChange && html`<${New} to=${linkTo('realms', uri, 'users', 'new')}>New user<//>`}
      ${users.length === 0 && html`<${Empty}>The realm has no users of its own.<//>`}
      <${Table} label="Users">
        ${users.map(
          (/** @type {any} */ { username, groups = [], enabled, authorized_keys = [] }) => html`
          <tr key=${username}><td><b>${username}</b> ${enabled === false && html`<${Badge} kind="bad">disabled<//>`}</td>
            <td>${groups.map((/** @type {string} */ name) => html`<${Badge}>${name}<//> `)}</td>
            <td class="quiet">${authorized_keys.length > 0 && `${authorized_keys.length} public keys`}</td>
            <td class="number">${
              mayChange &&
              html`<a class="button small" href=${linkTo('realms', uri, 'users', `=${username}`)}>Edit</a>
              <${Button} class="small" run=${() => setKeyOf(username)}>Issue API key<//>
              <${Button} class="small quiet-danger" run=${() => ask(revokeAll(username))}>Revoke all<//>
              <${Button} class="small quiet-danger" run=${() => ask(remove(username))}>Delete<//>`
            }</td></tr>`,
        )}
      <//>
    <//>
    ${keyOf && html`<${KeyQuestion} uri=${uri} user=${keyOf} done=${setIssued} close=${() => setKeyOf('')} />`}
    ${issued && html`<${Issued} ...${issued} close=${() => setIssued(undefined)} />`}
    ${asked && html`<${Question} ...${asked} close=${() => ask(undefined)} />`}`
}

/** @param {{ uri: string, realm: any, mayChange: boolean }} props */
export const Grants = ({ uri, realm: { grants }, mayChange }) => html`
  <${Panel}>
    ${mayChange && html`<${New} to=${linkTo('realms', uri, 'grants', 'new')}>New grant<//>`}
    ${!grants && html`<${Empty}>Without grants everything is allowed, reserved URIs apart.<//>`}
    <${Table} label="Grants">
      ${(grants ?? []).map(
        (/** @type {any} */ grant, /** @type {number} */ index) => html`
        <tr><td>${(grant.roles ?? []).map((/** @type {string} */ name) => html`<${Badge} kind="info">${name}<//> `)}</td>
          <td>${(grant.permissions ?? []).join(', ')}</td><td><code>${grant.uri ?? JSON.stringify(grant.resources)}</code> <span class="quiet">${grant.match}</span></td>
          <td class="number">${
            mayChange &&
            html`<a class="button small" href=${linkTo('realms', uri, 'grants', `=${index}`)}>Edit</a>
            <${Button} class="small quiet-danger" run=${() => told(call('POST', `${realmPath(uri)}/grants/delete`, { body: grant }), 'The grant is deleted.')}>Delete<//>`
          }</td></tr>`,
      )}
    <//>
  <//>`
