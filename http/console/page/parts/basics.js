/** The small parts of the pages: icons, badges, panels, tabs, buttons. */
import { html, useEffect, useRef, useState } from '../preact.js'

/** @type {Record<string, string>} */
const shapes = {
  overview: 'M3 12h4l3 8 4-16 3 8h4',
  apis: 'M8 4H5v16h3M16 4h3v16h-3M9 12h6',
  requests: 'M4 7h16M4 12h10M4 17h13',
  try: 'M7 5l11 7-11 7z',
  realms: 'M12 12a4 4 0 100-8 4 4 0 000 8zM4 20c1-4 4-6 8-6s7 2 8 6',
  nodes: 'M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01',
  out: 'M14 5h5v14h-5M11 12H3m3-4l-4 4 4 4',
  theme: 'M12 3a9 9 0 100 18zM12 3a9 9 0 010 18',
  close: 'M6 6l12 12M18 6L6 18',
  deliveries: 'M3 6h18v12H3zM3 7l9 7 9-7',
  plus: 'M12 5v14M5 12h14',
  check: 'M5 12l5 5 9-10',
  warning: 'M12 4l9 16H3zM12 10v4m0 3h.01',
  pause: 'M8 5v14M16 5v14',
}

/** @param {{ name: string }} props */
export const Icon = ({ name }) => html`
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${shapes[name] ?? ''} /></svg>`

/** @param {{ kind?: 'good' | 'warn' | 'bad' | 'info' | '', children?: unknown, title?: string }} props */
export const Badge = ({ kind = '', children, title }) =>
  html`<span class=${`badge ${kind}`} title=${title}>${children}</span>`

/** @param {{ kind: 'good' | 'warn' | 'bad' | 'idle' }} props */
export const Dot = ({ kind }) => html`<span class=${`dot ${kind}`} aria-hidden="true"></span>`

/** @param {{ method: string }} props */
export const Method = ({ method }) =>
  html`<span class=${`method ${method.toLowerCase()}`}>${method.toUpperCase()}</span>`

/** @param {{ title?: unknown, side?: unknown, children?: unknown, class?: string }} props */
export const Panel = ({ title, side, children, class: more = '' }) => html`
  <section class=${`panel ${more}`}>
    ${title && html`<header class="panel-head"><h2>${title}</h2><div class="panel-side">${side}</div></header>`}
    ${children}
  </section>`

/**
 * @param {{ label: string, heads?: readonly (string | readonly [text: string, kind: string])[], children?: unknown }} props
 */
export const Table = ({ label, heads, children }) => html`
  <div class="scroll" tabindex="0" role="region" aria-label=${label}><table class="list">
    ${
      heads &&
      html`<thead><tr>${heads.map((head) => {
        const [text, kind] = typeof head === 'string' ? [head] : head
        return html`<th scope="col" class=${kind}>${text || html`<span class="sr">Actions</span>`}</th>`
      })}</tr></thead>`
    }
    <tbody>${children}</tbody></table></div>`

/**
 * Brings the current one of a row of links into view, where the row is wider than the screen, whenever it is another one.
 * @param {string | undefined} now names it
 * @returns {{ current: HTMLElement | null }} the `ref` of the row
 */
export function useShownCurrent(now) {
  const row = useRef(/** @type {HTMLElement | null} */ (null))
  useEffect(() => {
    const current = row.current?.querySelector('[aria-current]')
    if (!row.current || !(current instanceof HTMLElement)) return
    const middle = current.offsetLeft - row.current.offsetLeft + current.offsetWidth / 2
    row.current.scrollLeft = middle - row.current.clientWidth / 2
  }, [now])
  return row
}

/**
 * @param {{ label: string, tabs: readonly { name: string, title: string, href?: string, count?: number }[], now: string, choose?: (name: string) => void }} props
 */
export function Tabs({ label, tabs, now, choose }) {
  const row = useShownCurrent(now)
  return html`
  <nav class="tabs" aria-label=${label} ref=${row}>
    ${tabs.map(({ name, title, href, count }) => {
      const inside = html`${title}${count !== undefined && html` <span class="count">${count}</span>`}`
      const current = name === now ? 'page' : undefined
      return href
        ? html`<a key=${name} href=${href} aria-current=${current}>${inside}</a>`
        : html`<button key=${name} type="button" aria-current=${current && 'true'} onClick=${() => choose?.(name)}>${inside}</button>`
    })}
  </nav>`
}

/** @param {{ status: number }} props */
export const Status = ({ status }) =>
  html`<span class=${`status ${status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'}`}>${status}</span>`

/** @param {(text: string) => void} set takes what is typed or chosen */
export const typed = (set) => (/** @type {Event} */ event) =>
  set(/** @type {HTMLInputElement} */ (event.currentTarget).value)

/**
 * A button whose work takes a while; a second press waits for the first.
 * @param {{ run: () => unknown, children?: unknown, class?: string, disabled?: boolean, title?: string }} props
 */
export function Button({ run, children, class: more = '', disabled = false, title }) {
  const [isBusy, setBusy] = useState(false)
  const press = async () => {
    setBusy(true)
    try {
      await run()
    } finally {
      setBusy(false)
    }
  }
  return html`<button type="button" class=${`button ${more}`} title=${title} disabled=${disabled || isBusy}
    onClick=${press}>${children}</button>`
}

/** @param {{ children?: unknown }} props */
export const Empty = ({ children }) => html`<p class="empty">${children}</p>`

/** @param {{ error: unknown }} props */
export const Trouble = ({ error }) =>
  error
    ? html`<p class="trouble" role="alert"><${Icon} name="warning" /> ${error instanceof Error ? error.message : String(error)}</p>`
    : null

/** The time, for what tells how long ago something was. */
export function useNow(everyMs = 1_000) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

/**
 * What a promise gives, asked for anew when an input changes.
 * @template T
 * @param {() => Promise<T>} ask
 * @param {readonly unknown[]} inputs
 * @returns {{ value: T | undefined, error: unknown, again: () => void }}
 */
export function useAnswer(ask, inputs) {
  const [found, setFound] = useState(
    /** @type {{ value: T | undefined, error: unknown }} */ ({
      value: undefined,
      error: undefined,
    }),
  )
  const [count, setCount] = useState(0)
  useEffect(() => {
    let isOver = false
    ask().then(
      (value) => !isOver && setFound({ value, error: undefined }),
      (error) => !isOver && setFound((before) => ({ value: before.value, error })),
    )
    return () => {
      isOver = true
    }
  }, [...inputs, count])
  return { ...found, again: () => setCount((before) => before + 1) }
}
