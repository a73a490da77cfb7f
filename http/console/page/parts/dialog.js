/** Dialogs and notes: a question before something that cannot be taken back, and the line that tells what was done. */

import { makeStore, useStore } from '../lib/store.js'
import { html, useEffect, useRef } from '../preact.js'
import { Button, Icon } from './basics.js'

/**
 * @param {{ title: unknown, close: () => void, children?: unknown, actions?: unknown, class?: string }} props
 */
export function Dialog({ title, close, children, actions, class: more = '' }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null))
  useEffect(() => element.current?.showModal(), [])
  return html`
    <dialog ref=${element} class=${more} onCancel=${close} onClose=${close} aria-labelledby="dialog-title">
      <header class="panel-head">
        <h2 id="dialog-title">${title}</h2>
        <button type="button" class="plain" aria-label="Close" onClick=${close}><${Icon} name="close" /></button>
      </header>
      <div class="dialog-body">${children}</div>
      ${actions && html`<footer class="actions">${actions}</footer>`}
    </dialog>`
}

/**
 * @param {{ title: string, text: unknown, verb: string, run: () => Promise<void>, close: () => void }} props
 */
export const Question = ({ title, text, verb, run, close }) => html`
  <${Dialog} title=${title} close=${close} actions=${html`
    <button type="button" class="button" onClick=${close}>Keep</button>
    <${Button} class="danger" run=${async () => {
      await run()
      close()
    }}>${verb}<//>`}>
    <p>${text}</p>
  <//>`

const notes = makeStore({ text: '', kind: '' })
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer

/** Tells what was done. @param {string} text @param {'good' | 'bad'} kind */
export function note(text, kind = 'good') {
  clearTimeout(timer)
  notes.set({ text, kind })
  timer = setTimeout(() => notes.set({ text: '' }), kind === 'good' ? 4_000 : 10_000)
}

/** @param {unknown} error */
export const noteError = (error) =>
  note(error instanceof Error ? error.message : String(error), 'bad')

/** Waits, and tells what was done, or why not. @param {Promise<unknown>} work @param {string} text */
export const told = (work, text) => work.then(() => note(text), noteError)

export function Notes() {
  const { text, kind } = useStore(notes)
  return html`<div role="status" class=${`note ${kind} ${text ? '' : 'gone'}`}>${text}</div>`
}
