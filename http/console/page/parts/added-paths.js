/** The paths that a document adds, and the redirect URIs to register at providers. */
import { html } from '../preact.js'

/** @typedef {import('../types.d.ts').Added} Added */

/** @param {{ added: Added[] }} props */
export const AddedPaths = ({ added }) =>
  added.length > 0 &&
  html`<h3>Paths that the document adds</h3>
  <ul class="issues">
    ${added.map(
      ({ kind, methods, host, path, redirect_uris = [] }) => html`<li>
        <code>${methods.join(', ')} ${host === '_' ? '' : host}${path}</code> <span class="quiet">${kind}</span>
        ${redirect_uris.map(
          ({
            provider,
            uri,
            is_guessed,
          }) => html`<p>Register at the provider ${provider} as redirect URI: <code>${uri}</code>
          ${is_guessed && ' (gateway.public_base_url is not set)'}</p>`,
        )}</li>`,
    )}
  </ul>`
