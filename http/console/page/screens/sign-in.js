/** The sign-in: an access token or an API key, which ends with the tab. */

import { signIn } from '../lib/live.js'
import { Trouble, typed } from '../parts/basics.js'
import { html, useState } from '../preact.js'

/** @param {{ refusal: string }} props */
export function SignIn({ refusal }) {
  const [text, setText] = useState('')
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault()
    if (text.trim() !== '') signIn(text.trim())
  }
  return html`
    <main class="sign-in" id="main">
      <form class="panel" onSubmit=${submit}>
        <h1><img src="icon.svg" alt="" width="28" height="28" /> wamp-gateway</h1>
        <p>Management of this gateway needs credentials: an access token or an API key of a user
          with the role <code>spec_loader</code>, or <code>spec_reader</code> to read only.</p>
        <label for="credentials">Access token or API key</label>
        <input id="credentials" type="password" autocomplete="off" autofocus value=${text}
          onInput=${typed(setText)} />
        <${Trouble} error=${refusal && `Refused: ${refusal}`} />
        <button class="button primary" disabled=${text.trim() === ''}>Sign in</button>
        <p class="fine">It is kept in this tab only, and sent to this gateway only.</p>
      </form>
    </main>`
}
