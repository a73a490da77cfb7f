/** One user or one grant of a realm in the editor, and a new realm. */
import { call, callText, Refusal, realmPath } from '../lib/api.js'
import { printJson, readJson } from '../lib/json-text.js'
import { goTo } from '../lib/router.js'
import { Edited } from '../parts/editing.js'
import { html } from '../preact.js'

/** @typedef {Record<string, unknown>} Part */

/** @param {unknown} value */
const printed = (value) => printJson(readJson(JSON.stringify(value)))

/** What names a grant: another one is not a change of it. @param {Part} grant */
const nameOf = ({ roles, uri, match, resources }) => JSON.stringify([roles, uri, match, resources])

/** Keys that were there and are gone are removed: the procedures leave what is absent as it is. @param {Part} now @param {Part} before */
const withNulls = (now, before) => ({
  ...Object.fromEntries(Object.keys(before).map((key) => [key, null])),
  ...now,
})

/** @type {Record<string, { sample: Part, find: (all: readonly Part[], part: string) => Part | undefined }>} */
const kinds = {
  users: {
    sample: { username: 'ada', password: 'of at least 12 characters', groups: [] },
    find: (all, name) => all.find(({ username }) => username === name),
  },
  grants: {
    sample: { roles: ['staff'], permissions: ['wamp.call'], uri: 'com.example.', match: 'prefix' },
    find: (all, index) => all[Number(index)],
  },
}

/**
 * @param {string} uri
 * @param {string} kind `users` or `grants`
 * @param {string} part `new`, or `=` and the name of a user or the index of a grant
 * @returns {import('../types.d.ts').Target}
 */
function targetOf(uri, kind, part) {
  const { sample, find } = kinds[kind] ?? { sample: {}, find: () => undefined }
  const path = `${realmPath(uri)}/${kind}`
  const isUser = kind === 'users'
  /** The realm as it is, where it has no such user or grant yet. @param {Part} now */
  const freeFor = async (now) => {
    const { text, hash = '' } = await callText('GET', realmPath(uri))
    /** @type {Part[]} */
    const all = JSON.parse(text)[kind] ?? []
    const isTaken = all.some((one) =>
      isUser ? one.username === now.username : nameOf(one) === nameOf(now),
    )
    if (isTaken) throw new Refusal(409, { message: 'The realm has it already.' })
    return hash
  }
  return {
    key: `realm ${uri} ${kind} ${part}`,
    async read() {
      const { text, hash } = await callText('GET', realmPath(uri))
      const found = find(JSON.parse(text)[kind] ?? [], part.slice(1))
      return { text: found ? printed(found) : '{}', hash }
    },
    async load(text, condition, before) {
      /** @type {Part} */
      const now = JSON.parse(text)
      /** @type {Part} */
      const old = before === undefined ? {} : JSON.parse(before)
      const isOther = isUser ? now.username !== old.username : nameOf(now) !== nameOf(old)
      const body = isOther ? now : withNulls(now, old)
      const { ifMatch = await freeFor(now) } = condition
      const place = isUser ? `${path}/${encodeURIComponent(String(now.username))}` : path
      const { text: answer, hash } = await callText('PUT', place, { body, ifMatch })
      // a grant for other roles or URIs takes the place of the one that was edited
      if (isOther && !isUser && before !== undefined)
        await call('POST', `${path}/delete`, { body: old, ...(hash && { ifMatch: hash }) })
      return JSON.parse(answer)
    },
    nameOf: (text) => (isUser ? JSON.parse(text).username : 'The grant'),
    done() {
      goTo('realms', uri, kind)
      return true
    },
    ...(part === 'new' && { sample: printed(sample) }),
  }
}

/** @param {{ uri: string, kind: string, part: string, version: number }} props */
export const EditPart = ({ uri, kind, part, version }) =>
  html`<${Edited} target=${targetOf(uri, kind, part)} version=${version} />`

/** @type {import('../types.d.ts').Target} */
const newRealm = {
  key: 'realm',
  read: async (text = '{}') => {
    const { text: found, hash } = await callText('GET', realmPath(JSON.parse(text).uri))
    return { text: printJson(readJson(found)), hash }
  },
  load: (text, condition) => call('POST', '/realms', { text, ...condition }),
  nameOf: (text) => JSON.parse(text).uri,
  done(text) {
    goTo('realms', JSON.parse(text).uri)
    return true
  },
  sample: printed({
    uri: 'com.example.shop',
    description: 'The shop',
    authmethods: ['password'],
    groups: [{ name: 'staff' }],
    users: [{ username: 'ada', password: 'of at least 12 characters', groups: ['staff'] }],
    grants: [
      { roles: ['staff'], permissions: ['wamp.call'], uri: 'com.example.shop.', match: 'prefix' },
    ],
  }),
}

/** A realm document that is not loaded yet. */
export const NewRealm = () => html`
  <div class="page-head"><h1><a class="up" href="#/realms">Realms</a><span class="sep">/</span>New</h1></div>
  <${Edited} target=${newRealm} />`
