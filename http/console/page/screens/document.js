/** A document in an editor: validated, loaded in place of the version that it began with, compared when somebody was faster. */

import { call, callText, Refusal, specPath } from '../lib/api.js'
import { shortHash } from '../lib/format.js'
import { JsonMistake, lineAt, offsetOf, printJson, readJson } from '../lib/json-text.js'
import { live } from '../lib/live.js'
import { goTo } from '../lib/router.js'
import { specStore } from '../lib/specs.js'
import { useStore } from '../lib/store.js'
import { Badge, Button, Empty, Icon, Panel, Trouble } from '../parts/basics.js'
import { SideBySide } from '../parts/compare.js'
import { Dialog, note, noteError } from '../parts/dialog.js'
import { Editor } from '../parts/editor.js'
import { html, useEffect, useMemo, useState } from '../preact.js'

/** @typedef {import('../types.d.ts').Issue} Issue */

/** A longer document is only shown; characters. */
const mostEdited = 1_048_576

/**
 * A document as it is shown: printed, without what the gateway adds.
 * @param {string} text
 */
export function shownText(text) {
  const node = readJson(text)
  return printJson({ ...node, members: (node.members ?? []).filter(({ key }) => key !== 'ts') })
}

/** @param {string} id */
async function readSpec(id) {
  const { text, hash } = await callText('GET', specPath(id))
  return { text: text.length > mostEdited ? text : shownText(text), hash }
}

/** @param {{ id: string }} props */
export function DocumentTab({ id }) {
  const { specs } = useStore(specStore)
  const { hello } = useStore(live)
  const ts = specs.get(id)?.ts
  const [base, setBase] = useState(
    /** @type {{ text: string, hash: string | undefined } | undefined} */ (undefined),
  )
  const [text, setText] = useState('')
  const [isOutdated, setOutdated] = useState(false)
  const [error, setError] = useState(/** @type {unknown} */ (undefined))
  const take = async () => {
    const found = await readSpec(id)
    setBase(found)
    setText(found.text)
    setOutdated(false)
  }
  useEffect(() => {
    if (base && text !== base.text) setOutdated(true)
    else take().catch(setError)
  }, [id, ts])
  if (!base) return html`<${Trouble} error=${error} />`
  const isLong = base.text.length > mostEdited
  if (isLong || hello?.access !== 'load') {
    return html`<${Panel}>
      ${isLong && html`<p class="hint">This document is larger than 1 MiB: it is shown, and loaded by <code>wamp-gateway load</code>.</p>`}
      <${Editor} label="Document" text=${base.text} />
    <//>`
  }
  return html`<${Editing} id=${id} base=${base} text=${text} edit=${setText} isOutdated=${isOutdated}
    take=${take} rebase=${(/** @type {string | undefined} */ hash) => {
      setBase({ text: base.text, hash })
      setOutdated(false)
    }} />`
}

/**
 * @param {unknown} error
 * @param {string} text
 * @returns {{ issues: (Issue & { line: number })[] }}
 */
function issuesIn(error, text) {
  if (error instanceof JsonMistake) {
    return { issues: [{ path: '', message: error.message, line: lineAt(text, error.offset) }] }
  }
  if (!(error instanceof Refusal)) throw error
  const details = error.details.length > 0 ? error.details : [{ path: '', message: error.message }]
  return { issues: withLines(details, text) }
}

/** @param {readonly Issue[]} issues @param {string} text */
function withLines(issues, text) {
  const root = readJson(text)
  return issues.map((one) => ({ ...one, line: lineAt(text, offsetOf(root, one.path)) }))
}

const sample = (/** @type {string} */ realm) => `{
  "id": "com.example.hello",
  "host": "_",
  "realm_uri": ${JSON.stringify(realm)},
  "versions": {
    "1.0": {
      "base_path": "/[v1]",
      "paths": {
        "/hello/:name": {
          "get": {
            "action": { "type": "static", "body": { "text": "Hello, {{request.bindings.name}}" } },
            "response": { "on_result": {}, "on_error": {} }
          }
        }
      }
    }
  }
}`

/** A document that is not loaded yet. */
export function NewDocument() {
  const { hello } = useStore(live)
  const { specs } = useStore(specStore)
  const realm = hello?.within ?? [...specs.values()][0]?.realm_uri ?? 'com.example'
  const [text, setText] = useState(() => sample(realm))
  return html`
    <div class="page-head"><h1><a class="up" href="#/apis">APIs</a><span class="sep">/</span>New</h1></div>
    <${Editing} id=${undefined} base=${undefined} text=${text} edit=${setText} isOutdated=${false} take=${async () => {}} rebase=${() => {}} />`
}

/**
 * @param {{ id: string | undefined, base: { text: string, hash: string | undefined } | undefined, text: string, edit: (text: string) => void,
 *   isOutdated: boolean, take: () => Promise<void>, rebase: (hash: string | undefined) => void }} props
 */
function Editing({ id, base, text, edit, isOutdated, take, rebase }) {
  const [found, setFound] = useState(
    /** @type {{ issues: (Issue & { line: number })[], kind: 'bad' | 'warn', said: string } | undefined} */ (
      undefined
    ),
  )
  const [line, setLine] = useState(/** @type {number | undefined} */ (undefined))
  const [theirs, setTheirs] = useState(
    /** @type {{ text: string, hash: string | undefined } | undefined} */ (undefined),
  )
  const isChanged = !base || text !== base.text
  const marks = useMemo(
    () => (found?.issues ?? []).map((one) => ({ ...one, kind: found?.kind ?? 'bad' })),
    [found],
  )
  /** @param {() => Promise<any>} ask @param {string} said */
  const judge = async (ask, said) => {
    try {
      readJson(text)
      const { warnings = [] } = await ask()
      setFound({ issues: withLines(warnings, text), kind: 'warn', said })
      return true
    } catch (error) {
      if (error instanceof Refusal && error.status === 412) {
        const target = id ?? JSON.parse(text).id
        await readSpec(target).then(setTheirs, noteError)
      } else if (
        error instanceof Refusal &&
        (error.status === 0 || error.status >= 500 || error.status === 403)
      )
        noteError(error)
      else setFound({ ...issuesIn(error, text), kind: 'bad', said: 'Refused' })
      return false
    }
  }
  const validate = () => judge(() => call('POST', '/services/validate_api_spec', { text }), 'Valid')
  const load = async () => {
    const condition = base ? { ifMatch: base.hash ?? '' } : { isNew: true }
    const isDone = await judge(() => call('POST', '/api_specs', { text, ...condition }), 'Loaded')
    if (!isDone) return
    const loaded = JSON.parse(text).id
    note(`${loaded} is loaded.`)
    if (id === loaded) await take()
    else goTo('apis', loaded)
  }
  return html`
    ${
      isOutdated &&
      html`<p class="banner warn" role="status"><${Icon} name="warning" />
      <span>Another version was loaded while you were editing.</span>
      <${Button} run=${() => readSpec(id ?? '').then(setTheirs, noteError)}>Compare<//></p>`
    }
    <div class="editing">
      <${Panel}>
        <div class="toolbar">
          <span class="quiet">${base ? html`version <code>${shortHash(base.hash)}</code>` : 'not loaded yet'} ${base && isChanged && html`<${Badge} kind="info">changed<//>`}</span>
          <span class="end"></span>
          ${base && html`<${Button} disabled=${!isChanged} run=${() => edit(base.text)}>Discard<//>`}
          <${Button} run=${validate}>Validate<//>
          <${Button} class="primary" disabled=${!isChanged} title="Ctrl+Enter" run=${load}>Load<//>
        </div>
        <${Editor} label="Document" text=${text} marks=${marks} line=${line} submit=${isChanged ? load : undefined}
          edit=${(/** @type {string} */ next) => {
            setFound(undefined)
            setLine(undefined)
            edit(next)
          }} />
      <//>
      <${Issues} found=${found} choose=${setLine} />
    </div>
    ${
      theirs &&
      html`<${Overtaken} mine=${text} theirs=${theirs} close=${() => setTheirs(undefined)}
      keep=${
        base &&
        (() => {
          rebase(theirs.hash)
          setTheirs(undefined)
        })
      }
      take=${async () => {
        await take()
        setTheirs(undefined)
      }} canTake=${base !== undefined} />`
    }`
}

/** @param {{ found: { issues: (Issue & { line: number })[], kind: string, said: string } | undefined, choose: (line: number) => void }} props */
const Issues = ({ found, choose }) => html`
  <${Panel} title="Issues" side=${found && html`<${Badge} kind=${found.said === 'Refused' ? 'bad' : 'good'}>${found.said}<//>`}>
    ${
      !found || found.issues.length === 0
        ? html`<${Empty}>${found ? 'None.' : 'Validate shows what a load would refuse or warn of, without loading.'}<//>`
        : html`<ol class="issues">
        ${found.issues.map(
          ({ path, message, line }) => html`
          <li><button type="button" class="plain" onClick=${() => choose(line)}>
            <span class=${`line ${found.kind}`}>line ${line}</span> ${message}<code class="place">${path || 'the document'}</code></button></li>`,
        )}
      </ol>`
    }
  <//>`

/**
 * @param {{ mine: string, theirs: { text: string, hash: string | undefined }, close: () => void, keep: (() => void) | undefined, take: () => Promise<void>, canTake: boolean }} props
 */
const Overtaken = ({ mine, theirs, close, keep, take, canTake }) => html`
  <${Dialog} class="wide" title="Somebody has loaded another version since you began" close=${close} actions=${html`
    ${canTake && html`<${Button} run=${take}>Take theirs, drop mine<//>`}
    ${keep && html`<button type="button" class="button primary" onClick=${keep}>Go on with mine, in place of theirs</button>`}`}>
    <p>Nothing was loaded. If you go on, the next load replaces this version; take over first what yours lacks.</p>
    <${SideBySide} left=${theirs.text} right=${mine} leftTitle=${html`Theirs, loaded: <code>${shortHash(theirs.hash)}</code>`} rightTitle="Mine" />
  <//>`
