/** The document of an API Specification in the editor, and a new one. */

import { call, callText, specPath } from '../lib/api.js'
import { printJson, readJson } from '../lib/json-text.js'
import { live } from '../lib/live.js'
import { goTo } from '../lib/router.js'
import { specStore } from '../lib/specs.js'
import { useStore } from '../lib/store.js'
import { Edited, mostEdited } from '../parts/editing.js'
import { html } from '../preact.js'

/**
 * A document as it is shown: printed, without what the gateway adds.
 * @param {string} text
 */
export function shownText(text) {
  const node = readJson(text)
  return printJson({ ...node, members: (node.members ?? []).filter(({ key }) => key !== 'ts') })
}

/** @param {string} text @returns {string} */
const idOf = (text) => JSON.parse(text).id

/** @param {string | undefined} id */
const keyOf = (id) => `spec ${id ?? ''}`

/** @param {string | undefined} id undefined: a new document @returns {import('../types.d.ts').Target} */
const targetOf = (id) => ({
  key: keyOf(id),
  keyOf: (text) => keyOf(idOf(text)),
  async read(text = '') {
    const found = await callText('GET', specPath(id ?? idOf(text)))
    const isLong = found.text.length > mostEdited
    return { text: isLong ? found.text : shownText(found.text), hash: found.hash }
  },
  validate: (text) => call('POST', '/services/validate_api_spec', { text }),
  load: (text, condition) => call('POST', '/api_specs', { text, ...condition }),
  nameOf: idOf,
  done(text) {
    if (id === idOf(text)) return false
    goTo('apis', idOf(text))
    return true
  },
})

/** @param {{ id: string }} props */
export function DocumentTab({ id }) {
  const { specs } = useStore(specStore)
  return html`<${Edited} key=${id} target=${targetOf(id)} version=${specs.get(id)?.ts} />`
}

/** @param {string} realm_uri */
const sampleOf = (realm_uri) => {
  const action = { type: 'static', body: { text: 'Hello, {{request.bindings.name}}' } }
  const get = { action, response: { on_result: {}, on_error: {} } }
  const version = { base_path: '/[v1]', paths: { '/hello/:name': { get } } }
  const document = { id: 'com.example.hello', host: '_', realm_uri, versions: { '1.0': version } }
  return printJson(readJson(JSON.stringify(document)))
}

/** A document that is not loaded yet. */
export function NewDocument() {
  const { hello } = useStore(live)
  const { specs } = useStore(specStore)
  const realm = hello?.within ?? [...specs.values()][0]?.realm_uri ?? 'com.example'
  return html`
    <div class="page-head"><h1><a class="up" href="#/apis">APIs</a><span class="sep">/</span>New</h1></div>
    <${Edited} target=${{ ...targetOf(undefined), sample: sampleOf(realm) }} />`
}
