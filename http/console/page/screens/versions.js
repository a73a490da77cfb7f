/** The versions of a document: what each changed, and the way back. */

import { call, callText, Refusal, specPath } from '../lib/api.js'
import { dateTime, shortBy, shortHash } from '../lib/format.js'
import { live } from '../lib/live.js'
import { useStore } from '../lib/store.js'
import { Badge, Button, Panel, Table, Trouble, useAnswer } from '../parts/basics.js'
import { Members, SideBySide } from '../parts/compare.js'
import { Dialog, note, noteError } from '../parts/dialog.js'
import { html, useState } from '../preact.js'
import { shownText } from './document.js'

/** @typedef {import('../types.d.ts').Version} Version */

/** @param {string} id @param {string} hash */
const readVersion = async (id, hash) =>
  shownText((await callText('GET', `${specPath(id)}/versions/${hash}`)).text)

/** @param {{ id: string, ts: number }} props */
export function Versions({ id, ts }) {
  const { hello } = useStore(live)
  const {
    value: versions = [],
    error,
    again,
  } = useAnswer(
    () => /** @type {Promise<Version[]>} */ (call('GET', `${specPath(id)}/versions`)),
    [id, ts],
  )
  const [compared, setCompared] = useState(/** @type {Version | undefined} */ (undefined))
  const [overtaken, setOvertaken] = useState(
    /** @type {{ wanted: string, theirs: string } | undefined} */ (undefined),
  )
  const current = versions.find(({ is_current }) => is_current)
  /** @param {Version} version */
  const rollBack = async ({ hash }) => {
    try {
      const condition = current?.hash ? { ifMatch: current.hash } : {}
      await call('POST', `${specPath(id)}/rollback`, { body: { hash }, ...condition })
      note(`${id} is back at ${shortHash(hash)}.`)
      setCompared(undefined)
    } catch (cause) {
      if (!(cause instanceof Refusal) || cause.status !== 412 || hash === null) noteError(cause)
      else {
        const theirs = shownText((await callText('GET', specPath(id))).text)
        setOvertaken({ wanted: await readVersion(id, hash), theirs })
      }
    }
    again()
  }
  return html`
    <${Trouble} error=${error} />
    <${Panel}>
      <${Table} label="Versions" heads=${['Loaded', 'Version', 'By', 'Node', 'State', '']}>
          ${versions.map(
            (version, index) => html`
            <tr key=${`${version.ts} ${version.hash}`} class=${version === compared ? 'chosen' : ''}>
              <td class="nowrap">${dateTime(version.ts)}</td>
              <td><code>${shortHash(version.hash)}</code></td>
              <td>${shortBy(version.by)}</td>
              <td>${version.node}</td>
              <td>${version.is_current && html`<${Badge} kind="good">current<//>`}${version.is_deleted && html` <${Badge} kind="bad">deleted<//>`}</td>
              <td class="number">${
                !version.is_deleted &&
                index > 0 &&
                html`
                ${current?.hash && html`<button type="button" class="button small" onClick=${() => setCompared(version)}>Diff</button>`}
                ${hello?.access === 'load' && html` <${Button} class="small" run=${() => rollBack(version)}>Roll back<//>`}`
              }</td>
            </tr>`,
          )}
      <//>
    <//>
    ${compared && current?.hash && html`<${Diff} key=${compared.hash} id=${id} from=${compared} to=${current} />`}
    ${
      overtaken &&
      html`
      <${Dialog} class="wide" title="Somebody has loaded another version since you looked" close=${() => setOvertaken(undefined)}
        actions=${html`<button type="button" class="button primary" onClick=${() => setOvertaken(undefined)}>Look at the versions again</button>`}>
        <p>Nothing was rolled back.</p>
        <${SideBySide} left=${overtaken.theirs} right=${overtaken.wanted} leftTitle="Theirs, loaded now" rightTitle="The version that you have chosen" />
      <//>`
    }`
}

/** @param {{ id: string, from: Version, to: Version }} props */
function Diff({ id, from, to }) {
  const [old, now] = [String(from.hash), String(to.hash)]
  const { value, error } = useAnswer(async () => {
    const [left, right, differences] = await Promise.all([
      readVersion(id, old),
      readVersion(id, now),
      call('GET', `${specPath(id)}/versions/${old}/diff/${now}`),
    ])
    return { left, right, differences }
  }, [id, old, now])
  /** @param {Version} version */
  const title = ({ ts, hash }) => html`${dateTime(ts)} <code>${shortHash(hash)}</code>`
  return html`
    <${Panel} title="What has changed since">
      <${Trouble} error=${error} />
      ${
        value &&
        html`
        <${Members} differences=${value.differences} />
        <${SideBySide} left=${value.left} right=${value.right} leftTitle=${title(from)} rightTitle=${html`${title(to)}, current`} />`
      }
    <//>`
}
