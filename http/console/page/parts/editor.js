/** An editor of JSON: line numbers, colours, and issues at their lines. */
import { html, useEffect, useMemo, useRef } from '../preact.js'

/** @typedef {{ line: number, message: string, kind: 'bad' | 'warn' }} Mark */

/** A longer text is shown without colours; characters. */
const mostPainted = 60_000

const token = /("(?:[^"\\\n]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g
const expression = /(\{\{.*?\}\})/

/** @param {string} text */
function painted(text) {
  if (text.length > mostPainted) return [text]
  /** @type {import('../preact.d.ts').Child[]} */
  const parts = []
  let at = 0
  for (const found of text.matchAll(token)) {
    const [whole, quoted, colon = '', number] = found
    parts.push(text.slice(at, found.index))
    at = found.index + whole.length
    if (quoted === undefined) parts.push(html`<i class=${number ? 'number' : 'word'}>${whole}</i>`)
    else if (colon) parts.push(html`<i class="key">${quoted}</i>`, colon)
    else
      parts.push(
        html`<i class="text">${quoted
          .split(expression)
          .map((part, index) => (index % 2 === 1 ? html`<b>${part}</b>` : part))}</i>`,
      )
  }
  parts.push(text.slice(at))
  return parts
}

/** @param {number} count */
const numbers = (count) => Array.from({ length: count }, (_, index) => index + 1).join('\n')

/**
 * @param {{ label: string, text: string, edit?: (text: string) => void, marks?: readonly Mark[], line?: number | undefined, submit?: () => void, rows?: number }} props
 */
export function Editor({ label, text, edit, marks = [], line, submit, rows = 24 }) {
  const box = useRef(/** @type {HTMLDivElement | null} */ (null))
  const count = text.split('\n').length
  const paint = useMemo(() => painted(text), [text])
  useEffect(() => {
    const area = box.current?.querySelector('textarea')
    if (line === undefined || !area || !box.current) return
    const offset =
      text
        .split('\n')
        .slice(0, line - 1)
        .join('\n').length + (line > 1 ? 1 : 0)
    area.focus({ preventScroll: true })
    area.setSelectionRange(offset, offset)
    const height = area.clientHeight / Math.max(count, 1)
    box.current.scrollTop = Math.max(0, (line - 5) * height)
  }, [line])
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit?.()
  }
  return html`
    <div class="editor" ref=${box} style=${{ '--rows': rows }}>
      <pre class="gutter" aria-hidden="true">${numbers(count)}</pre>
      <div class="code">
        ${marks.map(
          (mark) => html`
          <span class=${`mark ${mark.kind}`} style=${{ '--line': mark.line - 1 }} title=${mark.message}></span>`,
        )}
        <pre class="paint" aria-hidden="true">${paint}${'\n'}</pre>
        <textarea aria-label=${label} spellcheck=${false} autocomplete="off" autocapitalize="off" wrap="off"
          readonly=${!edit} value=${text} onKeyDown=${press}
          onInput=${(/** @type {InputEvent} */ event) => edit?.(/** @type {HTMLTextAreaElement} */ (event.currentTarget).value)}></textarea>
      </div>
    </div>`
}
