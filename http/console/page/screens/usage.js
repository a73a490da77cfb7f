/** What is used of the quotas of a document, and its cached responses. */

import { call, specPath } from '../lib/api.js'
import { dateTime } from '../lib/format.js'
import { live } from '../lib/live.js'
import { useStore } from '../lib/store.js'
import { Button, Empty, Panel, Trouble, typed, useAnswer } from '../parts/basics.js'
import { told } from '../parts/dialog.js'
import { html, useState } from '../preact.js'

/** @param {{ id: string }} props */
export function Usage({ id }) {
  const { hello } = useStore(live)
  const { value, error } = useAnswer(() => call('GET', `${specPath(id)}/usage`), [id])
  const [tags, setTags] = useState('')
  const purge = async () => {
    const names = tags.split(/[\s,]+/).filter(Boolean)
    const body = names.length > 0 ? { tags: names } : {}
    await told(
      call('POST', `${specPath(id)}/purge`, { body }),
      'The cached responses are dropped on all nodes.',
    )
  }
  /** @type {any[]} */
  const quotas = value?.quotas ?? []
  return html`
    <div class="columns even">
      <${Panel} title="Quotas">
        <${Trouble} error=${error} />
        ${value && quotas.length === 0 && html`<${Empty}>The document has no quotas.<//>`}
        ${quotas.map(
          (quota) => html`
          <section class="quota">
            <h3><code>${quota.path}</code> ${quota.name}</h3>
            <p class="quiet">${quota.amount} in ${quota.window}, until ${dateTime(quota.window_end)}</p>
            <ul class="rows">
              ${quota.usage.map(
                (
                  /** @type {{ sharer: string, used: number, amount: number }} */ {
                    sharer,
                    used,
                    amount,
                  },
                ) => html`
                <li><code>${sharer}</code><progress max=${amount} value=${used} aria-label=${`used by ${sharer}`}></progress><span class="end">${used} of ${amount}</span></li>`,
              )}
              ${quota.usage.length === 0 && html`<li class="quiet">Nothing is used.</li>`}
            </ul>
          </section>`,
        )}
      <//>
      <${Panel} title="Cached responses">
        <p class="hint">Cached responses are served while they are fresh. Dropping removes them earlier, on all nodes.</p>
        ${
          hello?.access === 'load'
            ? html`
            <label class="field">Tags <input value=${tags} placeholder="all" onInput=${typed(setTags)} /></label>
            <div class="actions"><${Button} run=${purge}>Drop them<//></div>`
            : html`<${Empty}>Only users who may load the document may drop them.<//>`
        }
      <//>
    </div>`
}
