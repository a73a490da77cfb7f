/** A described request: explained, without that anything is performed, or really sent. */
import { call } from '../lib/api.js'
import { curlOf } from '../lib/curl.js'
import { duration } from '../lib/format.js'
import { live } from '../lib/live.js'
import { useStore } from '../lib/store.js'
import { Button, Empty, Panel, Status, Trouble, typed } from '../parts/basics.js'
import { html, useState } from '../preact.js'
import { Explanation, Shown } from './explanation.js'

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options']
const samples = [
  '',
  '{"result": {"args": [{"id": 7}]}}',
  '{"error": {"error_uri": "com.example.error", "kwargs": {}}}',
]

/**
 * A path that the pattern could have: the optional parts of base_path are written out.
 * @param {string} pattern
 */
const pathOf = (pattern) => pattern.replaceAll(/\[([^\]]*)\]/g, '$1').replaceAll(/\/+/g, '/')

/** @param {string} text @param {string} what @returns {any} */
function read(text, what) {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${what}: expected JSON`)
  }
}

/** @param {string} text one header field a line */
function readHeaders(text) {
  const lines = text.split('\n').filter((line) => line.includes(':'))
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).trim(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
}

/** @param {{ parts: readonly string[] }} props */
export function Try({ parts: [givenMethod = 'get', pattern = '/'] }) {
  const { hello } = useStore(live)
  const [method, setMethod] = useState(givenMethod)
  const [path, setPath] = useState(pathOf(pattern))
  const [host, setHost] = useState('')
  const [headers, setHeaders] = useState('')
  const [body, setBody] = useState('')
  const [as, setAs] = useState('')
  const [realm, setRealm] = useState('')
  const [outcome, setOutcome] = useState('')
  const [told, setTold] = useState(
    /** @type {{ kind: string, value: any } | undefined} */ (undefined),
  )
  const [error, setError] = useState(/** @type {unknown} */ (undefined))
  /** @param {() => Promise<{ kind: string, value: any }>} ask */
  const run = async (ask) => {
    setError(undefined)
    await ask().then(setTold, setError)
  }
  const explain = () =>
    run(async () => {
      const user =
        as === 'anonymous' ? as : as && { authid: as, ...(realm && { realm_uri: realm }) }
      const [content, sample] = [read(body, 'Body'), read(outcome, 'Outcome')]
      const request = {
        method,
        path,
        headers: readHeaders(headers),
        ...(host && { host }),
        ...(content !== undefined && { body: content }),
      }
      const asked = {
        request,
        ...(user && { as: user }),
        ...(sample !== undefined && { outcome: sample }),
      }
      return { kind: 'explained', value: await call('POST', '/explain', { body: asked }) }
    })
  const sentHeaders = () => ({
    ...(body && { 'content-type': 'application/json' }),
    ...readHeaders(headers),
  })
  const copy = () =>
    run(async () => {
      const url = `${hello?.gateway ?? ''}${path}`
      const all = { ...(host && { host }), ...sentHeaders() }
      const value = curlOf({ method, url, headers: all, body })
      // browsers have a clipboard on localhost and over HTTPS only
      await navigator.clipboard?.writeText(value).catch(() => undefined)
      return { kind: 'curl', value }
    })
  const send = () =>
    run(async () => {
      const begun = performance.now()
      const answer = await fetch(`${hello?.gateway}${path}`, {
        method: method.toUpperCase(),
        headers: sentHeaders(),
        ...(body && { body }),
        credentials: 'omit',
      }).catch(() => {
        throw new Error(
          `The browser did not get a response of ${hello?.gateway}: the gateway is not reached there, or the API does not allow pages of ${location.origin} (cors)`,
        )
      })
      const text = await answer.text()
      const value = {
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        text,
        ms: performance.now() - begun,
      }
      return { kind: 'sent', value }
    })
  return html`
    <div class="page-head"><h1>Try</h1></div>
    <div class="columns trying">
      <${Panel} title="Request">
        <form class="form" onSubmit=${(/** @type {Event} */ event) => {
          event.preventDefault()
          void explain()
        }}>
          <div class="line-up">
            <label>Method <select value=${method} onChange=${typed(setMethod)}>${methods.map((each) => html`<option value=${each}>${each.toUpperCase()}</option>`)}</select></label>
            <label class="grow">Path <input value=${path} onInput=${typed(setPath)} /></label>
          </div>
          <label>Host <input value=${host} placeholder="localhost" onInput=${typed(setHost)} /></label>
          <label>Headers <textarea rows="3" placeholder="Accept: application/json" value=${headers} onInput=${typed(setHeaders)}></textarea></label>
          <label>Body <textarea rows="4" placeholder="JSON" value=${body} onInput=${typed(setBody)}></textarea></label>
          <label>As the user <input value=${as} placeholder="by the headers, or anonymous" onInput=${typed(setAs)} /></label>
          <label>Realm of the user <input value=${realm} placeholder="of the document" onInput=${typed(setRealm)} /></label>
          <label>The outcome of the action
            <select onChange=${typed((at) => setOutcome(samples[Number(at)] ?? ''))}><option value="0">an empty result</option><option value="1">a result</option><option value="2">an error</option></select></label>
          ${outcome && html`<label>Outcome <textarea rows="3" value=${outcome} onInput=${typed(setOutcome)}></textarea></label>`}
          <div class="actions">
            ${hello?.gateway && html`<${Button} run=${copy}>Copy as curl<//><${Button} run=${send}>Send<//>`}
            <${Button} class="primary" run=${explain}>Explain<//>
          </div>
        </form>
      <//>
      <div class="stack">
        <${Trouble} error=${error} />
        ${!told && !error && html`<${Panel}><${Empty}>Explain tells what the request would do, step by step: nothing is performed. Send performs it, from this browser.<//><//>`}
        ${told?.kind === 'explained' && html`<${Explanation} told=${told.value} />`}
        ${told?.kind === 'curl' && html`<${Panel} title="For a shell"><pre class="value" tabindex="0">${told.value}</pre><//>`}
        ${
          told?.kind === 'sent' &&
          html`
          <${Panel} title="Response" side=${duration(told.value.ms)}>
            <p class="facts"><${Status} status=${told.value.status} /></p>
            <${Shown} name="Headers" value=${told.value.headers} /><${Shown} name="Body" value=${told.value.text} />
          <//>`
        }
      </div>
    </div>`
}
