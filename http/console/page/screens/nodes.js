/** The nodes: whether all of them hold the same, and what this one does not serve. */

import { call } from '../lib/api.js'
import { ago, count, dateTime, duration, measured, quantile } from '../lib/format.js'
import { live } from '../lib/live.js'
import { linkTo } from '../lib/router.js'
import { useStore } from '../lib/store.js'
import {
  Badge,
  Dot,
  Empty,
  Icon,
  Panel,
  Table,
  Trouble,
  useAnswer,
  useNow,
} from '../parts/basics.js'
import { html } from '../preact.js'

/** @typedef {import('../types.d.ts').Registry} Registry */

export function Nodes() {
  const { nodes, hello, events } = useStore(live)
  const tick = Math.floor(useNow(1_000) / 3_000)
  const { value, error } = useAnswer(
    () => /** @type {Promise<Registry>} */ (call('GET', '/registry')),
    [tick, events.length],
  )
  return html`
    <div class="page-head"><h1>Nodes <span class="count">${value ? value.nodes.length + 1 : ''}</span></h1></div>
    <${Trouble} error=${error} />
    ${
      value &&
      html`
      ${hello && hello.problems.length > 0 && html`<p class="banner warn" role="status"><${Icon} name="warning" /><span>${hello.problems.join('; ')}</span></p>`}
      <${Cluster} registry=${value} numbers=${nodes} />
      <div class="columns even">
        <${Conflicts} registry=${value} />
        <${ThisNode} registry=${value} />
      </div>`
    }`
}

/** @param {{ registry: Registry, numbers: ReadonlyMap<string, import('../types.d.ts').Stats> }} props */
function Cluster({ registry, numbers }) {
  const own = {
    node: registry.node,
    version: registry.version,
    is_equal: true,
    heard_ms_ago: 0,
    clock_offset_ms: 0,
  }
  const known = [own, ...registry.nodes]
  // the other workers of a gateway tell numbers, and share its store
  const workers = [...numbers.keys()].filter((name) => !known.some(({ node }) => node === name))
  const all = [...known, ...workers.map((node) => ({ ...own, node, version: '', is_equal: null }))]
  all.sort((a, b) => a.node.localeCompare(b.node))
  return html`
    <${Panel}>
      <${Table} label="Nodes" heads=${['Node', 'Version', 'State', 'Documents', ...['Requests', 'p99', 'In flight', 'Clock', 'Last message'].map((head) => /** @type {const} */ ([head, 'number']))]}>
          ${all.map(({ node, version, is_equal, heard_ms_ago, clock_offset_ms }) => {
            const stats = numbers.get(node)
            const isReady = stats?.is_ready
            return html`
              <tr key=${node}>
                <td><${Dot} kind=${isReady === undefined ? 'idle' : isReady ? 'good' : 'bad'} /> <code class="strong">${node}</code> ${node === registry.node && html`<${Badge}>this one<//>`}</td>
                <td>${version ?? 'earlier'}</td>
                <td>${isReady === undefined ? 'no data yet' : isReady ? 'ready' : 'not ready'}</td>
                <td>${is_equal === null ? html`<span class="quiet">of its gateway</span>` : is_equal ? html`<span class="good"><${Icon} name="check" /> same</span>` : html`<span class="warn">differ, being compared</span>`}</td>
                <td class="number">${stats && stats.seconds > 0 ? `${count((stats.count ?? 0) / stats.seconds)}/s` : '–'}</td>
                <td class="number">${stats?.buckets ? measured(quantile(stats.buckets, stats.bounds, 0.99)) : '–'}</td>
                <td class="number">${stats?.in_flight ?? '–'}</td>
                <td class="number">${Math.abs(clock_offset_ms) < 50 ? html`<span class="quiet">agrees</span>` : html`<span class=${Math.abs(clock_offset_ms) > 5_000 ? 'bad' : ''}>${clock_offset_ms > 0 ? '+' : '−'}${duration(Math.abs(clock_offset_ms))}</span>`}</td>
                <td class="number quiet">${node === registry.node || is_equal === null ? '' : ago(0, heard_ms_ago)}</td>
              </tr>`
          })}
      <//>
    <//>`
}

/** @type {Record<string, string>} */
const reasons = {
  routes_taken: 'its routes belong to another document',
  does_not_compile: 'this node cannot serve it',
}

/** @param {{ registry: Registry }} props */
function Conflicts({ registry: { conflicts, damaged, refused_files } }) {
  const isFine = conflicts.length + damaged.length + refused_files.length === 0
  return html`
    <${Panel} title="Not served" side="by this node">
      ${isFine && html`<${Empty}><span class="good"><${Icon} name="check" /></span> Everything that is loaded is served.<//>`}
      <ul class="rows">
        ${conflicts.map(
          ({ id, reason, other, serves }) => html`
          <li><span><a href=${linkTo('apis', id)}>${id}</a> <span class="bad">${reasons[reason] ?? reason}</span>${other && html`: <a href=${linkTo('apis', other)}>${other}</a>`}
            <small>${typeof serves === 'number' ? `, the version of ${dateTime(serves)} is served` : ''}</small></span></li>`,
        )}
        ${damaged.map(({ kind, id, reason }) => html`<li><span>${kind} <code>${id}</code> <span class="bad">is damaged in the store: ${reason}</span></span></li>`)}
        ${refused_files.map(
          ({ file, issues }) => html`
          <li><span><code>${file}</code> <span class="bad">was refused</span>
            <ul>${issues.slice(0, 20).map(({ path, message }) => html`<li><code>${path || '/'}</code> ${message}</li>`)}</ul></span></li>`,
        )}
      </ul>
    <//>`
}

/** As `2, targets: 3 up, 1 out`. @param {Registry['upstreams']} upstreams */
function upstreamText({ count: all, targets }) {
  const told = Object.entries(targets).flatMap(([state, number]) =>
    number > 0 ? `${number} ${state}` : [],
  )
  return told.length > 0 ? `${all}, targets: ${told.join(', ')}` : all
}

/** @param {{ registry: Registry }} props */
function ThisNode({ registry }) {
  const {
    entries,
    tombstones,
    digest,
    router,
    store,
    clock,
    ignored_messages,
    router_last_error,
    router_sessions,
    upstreams,
  } = registry
  /** @type {[string, unknown][]} */
  const facts = [
    ['Router', html`<${Dot} kind=${router === 'joined' ? 'good' : 'bad'} /> ${router}`],
    ['Store', html`<${Dot} kind=${store === 'open' ? 'good' : 'bad'} /> ${store}`],
    ['Clock', html`<${Dot} kind=${clock === 'agrees' ? 'good' : 'bad'} /> ${clock}`],
    ['Documents', `${entries}, ${tombstones} deleted`],
    ['Digest', html`<code>${digest.slice(0, 16)}</code>`],
    ['Ignored messages', ignored_messages],
    ['Upstreams', upstreamText(upstreams)],
    ...(router_last_error
      ? [
          /** @type {[string, unknown]} */ ([
            'Last error of the router',
            html`<code>${router_last_error.error_uri}</code> ${dateTime(router_last_error.at)}`,
          ]),
        ]
      : []),
  ]
  return html`
    <${Panel} title="This node" side=${html`<code>${registry.node}</code>`}>
      <dl class="pairs">${facts.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
      <h3>Sessions of the gateway</h3>
      <ul class="rows">
        ${router_sessions.map(
          ({ realm, purpose, is_joined, reconnects }) => html`
          <li><${Dot} kind=${is_joined ? 'good' : 'bad'} /> <code>${String(realm)}</code> <span class="quiet">for ${String(purpose)}</span>
            <span class="end quiet">${Number(reconnects) > 0 ? `joined again ${reconnects} times` : ''}</span></li>`,
        )}
      </ul>
    <//>`
}
