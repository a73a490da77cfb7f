/** An explanation: the match, what was checked, the values of expressions, the action, and the answer. */
import { linkTo } from '../lib/router.js'
import { Badge, Empty, Icon, Method, Panel, Status } from '../parts/basics.js'
import { html } from '../preact.js'

/** @param {unknown} value */
const textOf = (value) =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')

/** @param {{ name: string, value: unknown }} props */
export const Shown = ({ name, value }) =>
  value === undefined || value === null || value === ''
    ? null
    : html`<h3>${name}</h3><pre class="value" tabindex="0">${textOf(value)}</pre>`

/** @param {{ told: any }} props */
export const Explanation = ({ told }) => html`
  ${told.problem && html`<p class="trouble" role="status"><${Icon} name="warning" /><span><b>${told.problem.code}</b> ${told.problem.message} <code>${told.problem.path ?? ''}</code></span></p>`}
  <${Panel} title="Response" side=${told.response?.is_sample && 'to a sample'}>
    ${
      told.response &&
      html`<p class="facts"><${Status} status=${told.response.status} /> <span>${told.response.from?.status ?? ''}</span></p>
      <${Shown} name="Headers" value=${told.response.headers} /><${Shown} name="Body" value=${told.response.body} /><${Shown} name="Frames" value=${told.response.frames} />`
    }
  <//>
  <${Match} told=${told} />
  <${Panel} title="Checks">
    <ol class="rows">
      ${(told.checks ?? []).map(
        (/** @type {any} */ { step, passed, at, ...rest }) => html`
        <li><span class=${passed ? 'good' : 'bad'}><${Icon} name=${passed ? 'check' : 'close'} /></span> <b>${step}</b>
          <span class="quiet">${Object.entries(rest)
            .map(([name, value]) => `${name}: ${textOf(value)}`)
            .join(', ')}</span>${at && html`<code class="end quiet">${at}</code>`}</li>`,
      )}
    </ol>
  <//>
  ${
    (told.expressions ?? []).length > 0 &&
    html`
    <${Panel} title="Expressions">
      <ul class="rows expressions">
        ${told.expressions.map(
          (/** @type {any} */ one) => html`
          <li><span><code>${one.expression}</code> <small><code>${one.at}</code></small>
            ${(one.steps ?? []).map((/** @type {any} */ step) => html`<span class="step quiet">${step.read ?? `|> ${step.function}`} = <code>${textOf(step.value)}</code></span>`)}
            ${one.failure ? html`<span class="step bad">${textOf(one.failure)}</span>` : html`<span class="step good">= <code>${textOf(one.value)}</code></span>`}</span></li>`,
        )}
      </ul>
    <//>`
  }
  ${told.action && html`<${Panel} title="Action"><pre class="value" tabindex="0">${textOf(told.action)}</pre><//>`}
  ${
    told.rules &&
    html`<${Panel} title="Rules that hold">
    <dl class="pairs">${Object.entries(told.rules).map(([name, rule]) => html`<div key=${name}><dt>${name}</dt><dd><code>${textOf(rule?.value)}</code> <small>${rule?.at ?? 'default'}</small></dd></div>`)}</dl><//>`
  }`

/** @param {{ told: any }} props */
const Match = ({ told: { matched, near_misses = [] } }) => html`
  <${Panel} title="Route">
    ${
      matched
        ? html`<p class="facts"><span><${Method} method=${matched.method ?? ''} /> <code>${matched.pattern}</code></span>
          ${matched.id && html`<a href=${linkTo('apis', matched.id)}>${matched.id}</a>`}<${Badge} kind="info">${matched.version}<//></p>
        <${Shown} name="Bindings" value=${Object.keys(matched.bindings ?? {}).length > 0 ? matched.bindings : undefined} />
        <${Shown} name="Tool" value=${matched.tool} />`
        : html`<${Empty}>No route matches this request.<//>`
    }
    ${
      near_misses.length > 0 &&
      html`<h3>Similar routes</h3>
      <ul class="rows">${near_misses.map((/** @type {any} */ miss) => html`<li><code>${miss.pattern ?? miss.id}</code> <span class="quiet">${miss.why}</span></li>`)}</ul>`
    }
  <//>`
