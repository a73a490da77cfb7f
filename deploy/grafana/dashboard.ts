/** `node deploy/grafana/dashboard.ts`: prints the dashboard of Grafana, deploy/grafana/wamp-gateway.json (`npm run docs`). */
import { calls, router, streams, upstreams } from './backend-rows.ts'
import { limits, logins, processes, sync } from './node-rows.ts'
import { type Panel, type Row, written } from './panel.ts'
import { apis, overview } from './request-rows.ts'

const rows: readonly Row[] = [
  ...[overview, apis, calls, upstreams, limits, streams, router, sync, logins, processes],
]

/** Columns of the grid of Grafana. */
const columns = 24
/** Height of a panel, in the unit of the grid. */
const heights = { stat: 4, table: 9, timeseries: 8 } as const

const datasource = { type: 'prometheus', uid: '$datasource' }

/** The columns of a table: labels, and one for each query, under its name. */
const asTable = (names: readonly string[]) => [
  { id: 'merge', options: {} },
  {
    id: 'organize',
    options: {
      excludeByName: { Time: true },
      renameByName: Object.fromEntries(
        names.map((name, index) => [`Value #${refId(index)}`, name]),
      ),
    },
  },
]

const refId = (index: number) => String.fromCharCode('A'.charCodeAt(0) + index)

function target(kind: string, [legendFormat, query]: readonly [string, string], index: number) {
  const common = { refId: refId(index), datasource, expr: written(query) }
  if (kind === 'table') return { ...common, format: 'table', instant: true, range: false }
  const isNow = kind === 'stat'
  return { ...common, legendFormat, instant: isNow, range: !isNow }
}

/** The look of a kind of panel. */
const options = {
  stat: { reduceOptions: { calcs: ['lastNotNull'] }, textMode: 'auto', colorMode: 'value' },
  table: { showHeader: true, sortBy: [] },
  timeseries: {
    legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
} as const

function drawn(panel: Panel, id: number, gridPos: object) {
  const { title, description, unit, bad, units = {}, queries, kind = 'timeseries' } = panel
  const steps = [
    { color: 'green', value: null },
    ...(bad === undefined ? [] : [{ color: 'red', value: bad }]),
  ]
  const thresholdsStyle = { mode: bad === undefined ? 'off' : 'dashed' }
  const lines = {
    fillOpacity: 8,
    lineWidth: 1,
    showPoints: 'never',
    axisSoftMin: 0,
    thresholdsStyle,
  }
  return {
    ...{ id, type: kind, title, description, gridPos, datasource },
    targets: Object.entries(queries).map((query, index) => target(kind, query, index)),
    fieldConfig: {
      defaults: {
        unit,
        thresholds: { mode: 'absolute', steps },
        ...(kind === 'timeseries' && { custom: lines }),
      },
      overrides: Object.entries(units).map(([name, value]) => ({
        matcher: { id: 'byName', options: name },
        properties: [{ id: 'unit', value }],
      })),
    },
    options: options[kind],
    ...(kind === 'table' && { transformations: asTable(Object.keys(queries)) }),
  }
}

/** Rows and panels from left to right and from top to bottom; ids count up. */
function laidOut(): object[] {
  const found: object[] = []
  let [x, y, lineHeight] = [0, 0, 0]
  const nextLine = () => {
    y += lineHeight
    x = 0
    lineHeight = 0
  }
  for (const { title, panels } of rows) {
    nextLine()
    const gridPos = { x: 0, y, w: columns, h: 1 }
    found.push({ id: found.length + 1, type: 'row', title, collapsed: false, gridPos, panels: [] })
    y += 1
    for (const panel of panels) {
      const { width: w = 8, kind = 'timeseries' } = panel
      if (x + w > columns) nextLine()
      const h = heights[kind]
      found.push(drawn(panel, found.length + 1, { x, y, w, h }))
      x += w
      lineHeight = Math.max(lineHeight, h)
    }
  }
  return found
}

/** A choice above the dashboard: the values of a label. */
const choice = (name: string, label: string, query: string) => ({
  ...{ name, label, type: 'query', datasource, query: { query, refId: name }, definition: query },
  ...{ multi: true, includeAll: true, allValue: '.*', refresh: 2, sort: 1 },
  current: { selected: true, text: ['All'], value: ['$__all'] },
})

const dashboard = {
  uid: 'wamp-gateway',
  title: 'wamp-gateway',
  description: 'Gateways of deploy/prometheus/prometheus.yaml.',
  tags: ['wamp-gateway'],
  ...{ schemaVersion: 39, version: 1, editable: true, graphTooltip: 1, refresh: '30s' },
  time: { from: 'now-1h', to: 'now' },
  templating: {
    list: [
      { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
      choice('job', 'Job', 'label_values(gateway_ready, job)'),
      choice('instance', 'Instance', 'label_values(gateway_ready{job=~"$job"}, instance)'),
      choice('api', 'API', 'label_values(gateway_http_requests_total{job=~"$job"}, api)'),
    ],
  },
  annotations: {
    list: [
      {
        ...{ name: 'Alerts', datasource, enable: true, iconColor: 'red' },
        expr: 'ALERTS{alertname=~"WampGateway.+",alertstate="firing",job=~"$job"}',
        titleFormat: '{{alertname}} {{instance}} {{api}}',
      },
    ],
  },
  panels: laidOut(),
}

process.stdout.write(`${JSON.stringify(dashboard, null, 2)}\n`)
