/** What an API Specification promises: its OpenAPI description, and its examples. */

import { call, callText, specPath } from '../lib/api.js'
import { printJson, readJson } from '../lib/json-text.js'
import { Badge, Button, Empty, Icon, Panel, Trouble, typed, useAnswer } from '../parts/basics.js'
import { Editor } from '../parts/editor.js'
import { html, useState } from '../preact.js'

/** @param {{ spec: import('../types.d.ts').Spec }} props */
export function Description({ spec }) {
  const versions = Object.entries(spec.versions ?? {}).filter(
    ([, { is_active }]) => is_active !== false,
  )
  const [version, setVersion] = useState(versions.at(-1)?.[0] ?? '')
  const [type, setType] = useState('application/json')
  const { value, error } = useAnswer(async () => {
    const path = `${specPath(spec.id)}/openapi?version=${encodeURIComponent(version)}`
    const { text } = await callText('GET', path, { accept: type })
    return type === 'application/json' ? printJson(readJson(text)) : text
  }, [spec.id, spec.ts, version, type])
  const save = () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([value ?? ''], { type }))
    link.download = `${spec.id}-${version}.${type.split('/')[1]}`
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return html`
    <${Panel}>
      <div class="toolbar">
        <label>Version <select value=${version} onChange=${typed(setVersion)}>
          ${versions.map(([name]) => html`<option key=${name} value=${name}>${name}</option>`)}</select></label>
        <label>Form <select value=${type} onChange=${typed(setType)}>
          <option value="application/json">JSON</option><option value="application/yaml">YAML</option></select></label>
        <span class="end"></span>
        <${Button} disabled=${!value} run=${save}>Save as a file<//>
      </div>
      <${Trouble} error=${error} />
      ${value !== undefined && html`<${Editor} label="OpenAPI description" text=${value} />`}
    <//>`
}

/** @param {{ id: string, ts: number }} props */
export function Examples({ id, ts }) {
  const { value, error, again } = useAnswer(async () => {
    const { text } = await callText('GET', specPath(id))
    return await call('POST', '/services/test_api_spec', { text })
  }, [id, ts])
  /** @type {{ name: string, path: string, passed: boolean, problems: import('../types.d.ts').Issue[] }[]} */
  const results = value?.results ?? []
  return html`
    <${Trouble} error=${error} />
    ${
      value &&
      html`
      <${Panel} title="Examples" side=${html`<${Button} run=${again}>Run again<//>`}>
        <p class="facts">
          <span><${Badge} kind="good">${value.passed} passed<//></span>
          ${value.failed > 0 && html`<span><${Badge} kind="bad">${value.failed} failed<//></span>`}
          <span>${value.operations} operations, ${value.without} of them without an example</span>
        </p>
        ${
          results.length === 0
            ? html`<${Empty}>The document has no examples. Each operation may have some, which the gateway runs without performing anything.<//>`
            : html`
          <ul class="rows results">
            ${results.map(
              ({ name, path, passed, problems }) => html`
              <li><span class=${passed ? 'good' : 'bad'}><${Icon} name=${passed ? 'check' : 'close'} /></span>
                <span>${name} <small><code>${path}</code></small>
                ${problems.map((one) => html`<span class="problem bad">${one.message} <code class="quiet">${one.path}</code></span>`)}</span></li>`,
            )}
          </ul>`
        }
      <//>`
    }`
}
