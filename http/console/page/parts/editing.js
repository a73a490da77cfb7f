/** A text in an editor: validated, loaded in place of the version that it began with, compared when somebody was faster. */

import { Refusal } from '../lib/api.js'
import { draftOf, keepDraft } from '../lib/drafts.js'
import { shortHash } from '../lib/format.js'
import { JsonMistake, lineAt, offsetOf, readJson } from '../lib/json-text.js'
import { live } from '../lib/live.js'
import { useStore } from '../lib/store.js'
import { html, useEffect, useMemo, useState } from '../preact.js'
import { AddedPaths } from './added-paths.js'
import { Badge, Button, Empty, Icon, Panel, Trouble } from './basics.js'
import { SideBySide } from './compare.js'
import { Dialog, note, noteError } from './dialog.js'
import { Editor } from './editor.js'

/** @typedef {import('../types.d.ts').Issue & { line: number }} Issue */
/** @typedef {import('../types.d.ts').Added} Added */
/** @typedef {import('../types.d.ts').Target} Target */
/** @typedef {import('../types.d.ts').Base} Base */

/** A longer document is only shown; characters. */
export const mostEdited = 1_048_576

/**
 * @param {unknown} error
 * @param {string} text
 * @returns {Issue[]}
 */
function issuesIn(error, text) {
  if (error instanceof JsonMistake)
    return [{ path: '', message: error.message, line: lineAt(text, error.offset) }]
  if (!(error instanceof Refusal)) throw error
  const details = error.details.length > 0 ? error.details : [{ path: '', message: error.message }]
  return withLines(details, text)
}

/** @param {readonly import('../types.d.ts').Issue[]} issues @param {string} text */
function withLines(issues, text) {
  const root = readJson(text)
  return issues.map((one) => ({ ...one, line: lineAt(text, offsetOf(root, one.path)) }))
}

/** An excerpt below the sentence has a caret under the character that is meant. @param {string} message */
function said(message) {
  const [sentence, ...excerpt] = message.split('\n')
  return excerpt.length === 0
    ? sentence
    : html`${sentence}<code class="excerpt">${excerpt.join('\n')}</code>`
}

/**
 * What is there in an editor, or a sample of what is not yet.
 * @param {{ target: Target, version?: number | undefined }} props version: differs once it has changed
 */
export function Edited({ target, version }) {
  const { hello } = useStore(live)
  const [base, setBase] = useState(/** @type {Base | undefined} */ (undefined))
  const [begun] = useState(hello?.access === 'load' ? draftOf(target.key) : undefined)
  const [text, setText] = useState(begun?.text ?? target.sample ?? '')
  const [isOutdated, setOutdated] = useState(false)
  const [isBack, setBack] = useState(begun !== undefined)
  const [error, setError] = useState(/** @type {unknown} */ (undefined))
  const drop = () => {
    keepDraft(target.key, undefined)
    setBack(false)
  }
  const take = async () => {
    if (target.sample !== undefined) return
    const found = await target.read()
    drop()
    setBase(found)
    setText(found.text)
    setOutdated(false)
  }
  /** What is there now is what the draft began with, or has been overtaken. @param {import('../lib/drafts.js').Draft} draft */
  const resume = async (draft) => {
    if (target.sample !== undefined) return
    const found = await target.read()
    setBase({ text: found.text, hash: draft.hash })
    setOutdated(draft.hash !== found.hash)
  }
  /** @param {string} next */
  const edit = (next) => {
    setText(next)
    const isChanged = next !== (base?.text ?? target.sample)
    keepDraft(target.key, isChanged ? { text: next, hash: base?.hash } : undefined)
    if (!isChanged) setBack(false)
  }
  useEffect(() => {
    if (base && text !== base.text) setOutdated(true)
    else (begun && !base ? resume(begun) : take()).catch(setError)
  }, [version])
  if (!base && target.sample === undefined) return html`<${Trouble} error=${error} />`
  const isLong = text.length > mostEdited && text === base?.text
  if (isLong || hello?.access !== 'load') {
    return html`<${Panel}>
      ${isLong && html`<p class="hint">This document is larger than 1 MiB: it is shown, and loaded by <code>wamp-gateway load</code>.</p>`}
      <${Editor} label="Document" text=${text} />
    <//>`
  }
  return html`
    ${
      isBack &&
      html`<p class="banner" role="status"><span>Your changes that were not loaded are back.</span>
      <${Button} run=${() => edit(base?.text ?? target.sample ?? '')}>Discard them<//>
      <button type="button" class="button" onClick=${() => setBack(false)}>Keep them</button></p>`
    }
    <${Editing} target=${target} base=${base} text=${text} edit=${edit} isOutdated=${isOutdated}
    take=${take} drop=${drop} rebase=${(/** @type {string | undefined} */ hash) => {
      setBase(base && { text: base.text, hash })
      keepDraft(target.key, { text, hash })
      setOutdated(false)
    }} />`
}

/** @typedef {{ issues: Issue[], kind: 'bad' | 'warn', said: string, added?: Added[] }} Found */

/** What was told when something new was loaded, for the editor that opens on it. @type {{ key: string, warnings: Issue[], added: Added[] } | undefined} */
let told

/** @param {string} key @param {string} text @returns {Found | undefined} */
function takeTold(key, text) {
  const { warnings, added = [] } = told?.key === key ? told : {}
  told = undefined
  return warnings && { issues: withLines(warnings, text), kind: 'warn', said: 'Loaded', added }
}

/**
 * @param {{ target: Target, base: Base | undefined, text: string, edit: (text: string) => void, isOutdated: boolean,
 *   take: () => Promise<void>, drop: () => void, rebase: (hash: string | undefined) => void }} props
 */
function Editing({ target, base, text, edit, isOutdated, take, drop, rebase }) {
  const [found, setFound] = useState(() => takeTold(target.key, text))
  const [line, setLine] = useState(/** @type {number | undefined} */ (undefined))
  const [theirs, setTheirs] = useState(/** @type {Base | undefined} */ (undefined))
  const isChanged = !base || text !== base.text
  const marks = useMemo(
    () => (found?.issues ?? []).map((one) => ({ ...one, kind: found?.kind ?? 'bad' })),
    [found],
  )
  const compare = () => target.read(text).then(setTheirs, noteError)
  /** @param {() => Promise<any>} ask @param {string} said */
  const judge = async (ask, said) => {
    try {
      readJson(text)
      const { warnings = [], added = [] } = await ask()
      setFound({ issues: withLines(warnings, text), kind: 'warn', said, added })
      return { warnings, added }
    } catch (error) {
      const status = error instanceof Refusal ? error.status : undefined
      if (status === 412) await compare()
      else if (status === 0 || status === 403 || Number(status) >= 500) noteError(error)
      else setFound({ issues: issuesIn(error, text), kind: 'bad', said: 'Refused' })
      return undefined
    }
  }
  const load = async () => {
    const condition = base ? { ifMatch: base.hash ?? '' } : { isNew: true }
    const loaded = await judge(() => target.load(text, condition, base?.text), 'Loaded')
    if (!loaded) return
    note(`${target.nameOf(text)} is loaded.`)
    drop()
    const key = target.keyOf?.(text)
    if (key !== undefined && key !== target.key) told = { key, ...loaded }
    if (!target.done(text)) await take()
  }
  const { validate } = target
  return html`
    ${
      isOutdated &&
      html`<p class="banner warn" role="status"><${Icon} name="warning" />
      <span>Another version was loaded while you were editing.</span>
      <${Button} run=${compare}>Compare<//></p>`
    }
    <div class="editing">
      <${Panel}>
        <div class="toolbar">
          <span class="quiet">${base ? html`version <code>${shortHash(base.hash)}</code>` : 'not loaded yet'} ${base && isChanged && html`<${Badge} kind="info">changed<//>`}</span>
          <span class="end"></span>
          ${base && html`<${Button} disabled=${!isChanged} run=${() => edit(base.text)}>Discard<//>`}
          ${validate && html`<${Button} run=${() => judge(() => validate(text), 'Valid')}>Validate<//>`}
          <${Button} class="primary" disabled=${!isChanged} title="Ctrl+Enter" run=${load}>Load<//>
        </div>
        <${Editor} label="Document" text=${text} marks=${marks} line=${line} submit=${isChanged ? load : undefined}
          edit=${(/** @type {string} */ next) => {
            setFound(undefined)
            setLine(undefined)
            edit(next)
          }} />
      <//>
      <${Panel} title="Issues" side=${found && html`<${Badge} kind=${found.said === 'Refused' ? 'bad' : 'good'}>${found.said}<//>`}>
        ${
          !found || found.issues.length === 0
            ? html`<${Empty}>${found ? 'None.' : 'Validate lists here what a load refuses, and what it warns of.'}<//>`
            : html`<ol class="issues">
            ${found.issues.map(
              ({ path, message, line: at }) => html`
              <li><button type="button" class="plain" onClick=${() => setLine(at)}>
                <span class=${`line ${found.kind}`}>line ${at}</span> ${said(message)}<code class="place">${path || 'the document'}</code></button></li>`,
            )}
          </ol>`
        }
        <${AddedPaths} added=${found?.added ?? []} />
      <//>
    </div>
    ${
      theirs &&
      html`<${Overtaken} mine=${text} theirs=${theirs} close=${() => setTheirs(undefined)}
      actions=${
        base &&
        html`<${Button} run=${async () => {
          await take()
          setTheirs(undefined)
        }}>Take theirs, drop mine<//>
        <button type="button" class="button primary" onClick=${() => {
          rebase(theirs.hash)
          setTheirs(undefined)
        }}>Go on with mine, in place of theirs</button>`
      } />`
    }`
}

/** @param {{ mine: string, theirs: Base, close: () => void, actions: unknown }} props */
const Overtaken = ({ mine, theirs, close, actions }) => html`
  <${Dialog} class="wide" title="Somebody has loaded another version since you began" close=${close} actions=${actions}>
    <p>Nothing was loaded. If you go on, the next load replaces this version; take over first what yours lacks.</p>
    <${SideBySide} left=${theirs.text} right=${mine} leftTitle=${html`Theirs, loaded: <code>${shortHash(theirs.hash)}</code>`} rightTitle="Mine" />
  <//>`
