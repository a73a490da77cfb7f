/** Two documents side by side, and what differs between them. */

import { sideBySide, withoutSame } from '../lib/diff.js'
import { html, useMemo, useState } from '../preact.js'
import { Empty } from './basics.js'

/** Rows beyond these are left out. */
const mostRows = 3_000

/**
 * @param {{ left: string, right: string, leftTitle: unknown, rightTitle: unknown }} props
 */
export function SideBySide({ left, right, leftTitle, rightTitle }) {
  const [isWhole, setWhole] = useState(false)
  const rows = useMemo(() => sideBySide(left, right), [left, right])
  const changed = rows.filter(({ isSame }) => !isSame).length
  const shown = (isWhole ? rows : withoutSame(rows, 3)).slice(0, mostRows)
  return html`
    <div class="compare">
      <div class="compare-head">
        <span>${changed === 0 ? 'The texts are equal.' : `${changed} line${changed === 1 ? '' : 's'} differ`}</span>
        <label><input type="checkbox" checked=${isWhole} onChange=${() => setWhole(!isWhole)} /> whole documents</label>
      </div>
      <div class="compare-scroll" tabindex="0" role="region" aria-label="Both documents">
        <table class="sides">
          <colgroup><col width="44" /><col /><col width="44" /><col /></colgroup>
          <thead><tr><th colspan="2" scope="col">${leftTitle}</th><th colspan="2" scope="col">${rightTitle}</th></tr></thead>
          <tbody>
            ${shown.map((row) =>
              'skipped' in row
                ? html`<tr class="skipped"><td colspan="4">${row.skipped} equal line${row.skipped === 1 ? '' : 's'}</td></tr>`
                : html`
                  <tr class=${row.isSame ? '' : 'differs'}>
                    <td class="line-number">${row.left === undefined ? '' : row.leftLine}</td>
                    <td class=${row.isSame || row.left === undefined ? '' : 'gone'}>${row.left ?? ''}</td>
                    <td class="line-number">${row.right === undefined ? '' : row.rightLine}</td>
                    <td class=${row.isSame || row.right === undefined ? '' : 'new'}>${row.right ?? ''}</td>
                  </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </div>`
}

/** @param {unknown} value */
function brief(value) {
  const text = JSON.stringify(value) ?? ''
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}

/** @param {{ differences: readonly import('../types.d.ts').Difference[] }} props */
export const Members = ({ differences }) =>
  differences.length === 0
    ? html`<${Empty}>No member differs.<//>`
    : html`
      <ul class="members">
        ${differences.slice(0, 200).map(
          ({ path, kind, from, to }) => html`
          <li>
            <span class=${`badge ${kind === 'added' ? 'good' : kind === 'removed' ? 'bad' : 'info'}`}>${kind}</span>
            <code class="place">${path || '/'}</code>
            ${from !== undefined && html`<code class="gone">${brief(from)}</code>`}
            ${to !== undefined && html`<code class="new">${brief(to)}</code>`}
          </li>`,
        )}
        ${differences.length > 200 && html`<li>and ${differences.length - 200} more</li>`}
      </ul>`
