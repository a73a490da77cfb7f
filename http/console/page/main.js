/** The console: its frame, and the screen that the address names. */

import { onRefused } from './lib/api.js'
import { forgetDrafts } from './lib/drafts.js'
import { ago, duration } from './lib/format.js'
import { connect, live, signOut } from './lib/live.js'
import { goTo, linkTo, usePlace } from './lib/router.js'
import { useStore } from './lib/store.js'
import { Dot, Icon, useNow, useShownCurrent } from './parts/basics.js'
import { Notes } from './parts/dialog.js'
import { html, render, useEffect, useErrorBoundary } from './preact.js'
import { Apis } from './screens/apis.js'
import { Deliveries } from './screens/deliveries/deliveries.js'
import { NewDocument } from './screens/document.js'
import { Nodes } from './screens/nodes.js'
import { Overview } from './screens/overview.js'
import { NewRealm } from './screens/realm-part.js'
import { Realms } from './screens/realms.js'
import { Requests } from './screens/requests.js'
import { SignIn } from './screens/sign-in.js'
import { Try } from './screens/try.js'

/** @type {readonly { name: string, title: string, screen: (props: { parts: readonly string[] }) => unknown, forAll?: true }[]} */
const screens = [
  { name: 'overview', title: 'Overview', screen: Overview },
  { name: 'apis', title: 'APIs', screen: Apis },
  { name: 'requests', title: 'Requests', screen: Requests },
  { name: 'try', title: 'Try', screen: Try },
  { name: 'deliveries', title: 'Deliveries', screen: Deliveries },
  { name: 'realms', title: 'Realms', screen: Realms },
  { name: 'nodes', title: 'Nodes', screen: Nodes, forAll: true },
]

/** Screens that the navigation does not list. */
const others = [
  { name: 'new', title: 'New API', screen: NewDocument, within: 'apis' },
  { name: 'new-realm', title: 'New realm', screen: NewRealm, within: 'realms' },
]

const themeKey = 'wamp-gateway.theme'

/** @param {string | null} theme */
function useTheme(theme) {
  if (theme === null) delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

function switchTheme() {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  const now = document.documentElement.dataset.theme ?? (isDark ? 'dark' : 'light')
  const next = now === 'dark' ? 'light' : 'dark'
  localStorage.setItem(themeKey, next)
  useTheme(next)
}

/** `/` leads to the filter; `g` and the first letter of a screen leads to it. */
function useKeys() {
  useEffect(() => {
    let isGoing = false
    /** @param {KeyboardEvent} event */
    const press = (event) => {
      const target = /** @type {Element | null} */ (event.target)
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        target?.closest('input, textarea, select, dialog')
      )
        return
      const found = isGoing && screens.find(({ name }) => name.startsWith(event.key))
      isGoing = event.key === 'g'
      const filter = /** @type {HTMLElement | null} */ (document.querySelector('.filter'))
      if (found) goTo(found.name)
      else if (event.key === '/' && filter) {
        event.preventDefault()
        filter.focus()
      }
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

function Console() {
  const { state, hello, refusal } = useStore(live)
  const [name = 'overview', ...parts] = usePlace()
  useKeys()
  const seen = screens.filter(({ forAll }) => !forAll || hello?.within === null)
  const found = [...seen, ...others].find((one) => one.name === name)
  useEffect(() => {
    document.title = `${found?.title ?? 'No such screen'} · wamp-gateway`
  }, [found])
  const current = found && 'within' in found ? found.within : found?.name
  const row = useShownCurrent(current)
  if (state === 'signed-out') return html`<${SignIn} refusal=${refusal} />`
  return html`
    <a class="skip" href="#main" onClick=${skip}>To the content</a>
    <header class="top">
      <a class="brand" href=${linkTo('overview')}><img src="icon.svg" alt="" width="22" height="22" /><span>wamp-gateway</span></a>
      <nav class="screens" aria-label="Screens" ref=${row}>
        ${seen.map(
          ({ name: each, title }) => html`
          <a key=${each} href=${linkTo(each)} aria-current=${each === current ? 'page' : undefined}><${Icon} name=${each} /><span>${title}</span></a>`,
        )}
      </nav>
      <div class="who">
        ${
          hello &&
          html`<span class="node" title=${`version ${hello.version}`}><${Dot} kind=${state === 'live' ? (hello.is_ready ? 'good' : 'warn') : 'bad'} /> <code>${hello.node}</code></span>
          <span class="user">${hello.by}${hello.access === 'read' && html` <small>reads</small>`}</span>`
        }
        <button type="button" class="plain" aria-label="Light or dark" title="Light or dark" onClick=${switchTheme}><${Icon} name="theme" /></button>
        ${hello?.has_credentials && html`<button type="button" class="plain" aria-label="Sign out" title="Sign out" onClick=${leave}><${Icon} name="out" /></button>`}
      </div>
    </header>
    ${state === 'away' && html`<${Away} />`}
    <main id="main" tabindex="-1" class=${state === 'away' ? 'stale' : ''} inert=${state === 'away'}>
      ${hello && !found && html`<p class="trouble" role="alert">The console has no screen <code>${name}</code>. <a href=${linkTo('overview')}>Overview</a></p>`}
      ${hello && found && html`<${Screen} key=${found.name === 'try' ? name + parts.join() : found.name} screen=${found.screen} parts=${parts} />`}
    </main>
    <${Notes} />`
}

function leave() {
  forgetDrafts()
  signOut()
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

/** @param {{ screen: (props: { parts: readonly string[] }) => unknown, parts: readonly string[] }} props */
function Screen({ screen, parts }) {
  const [error, reset] = useErrorBoundary()
  if (!error) return html`<${screen} parts=${parts} />`
  return html`<p class="trouble" role="alert">This screen has failed: ${String(error)}. <button type="button" class="button" onClick=${reset}>Show it again</button></p>`
}

function Away() {
  const { heardAt, retryAt } = useStore(live)
  const now = useNow(500)
  return html`
    <p class="banner bad" role="alert"><${Icon} name="warning" />
      <span>The gateway does not respond.${heardAt > 0 && html` The data shown is from ${ago(heardAt, now)}.`}
        ${retryAt > now ? ` Trying again in ${duration(retryAt - now)}.` : ' Trying again.'}</span>
      <button type="button" class="button" onClick=${connect}>Try now</button></p>`
}

useTheme(localStorage.getItem(themeKey))
onRefused.call = () => signOut('the credentials are not valid for management')
connect()
const root = document.getElementById('console')
if (root) render(html`<${Console} />`, root)
