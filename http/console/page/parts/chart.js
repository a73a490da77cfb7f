/** A line over time, drawn as SVG. */
import { ago } from '../lib/format.js'
import { peaks } from '../lib/points.js'
import { html, useState } from '../preact.js'

const [width, height] = [240, 44]

/** @param {number} value */
const short = (value) => value.toFixed(1)

/**
 * @param {{ label: string, points: readonly { at: number, value: number }[], show: (value: number) => string, kind: string, seconds: number }} props `seconds`: drawn at most
 */
export function Chart({ label, points, show, kind, seconds }) {
  const [pointer, setPointer] = useState(/** @type {number | undefined} */ (undefined))
  const end = points.at(-1)?.at ?? 0
  const span = Math.max(30_000, Math.min(seconds * 1000, end - (points[0]?.at ?? end)))
  /** @param {number} at */
  const x = (at) => width - ((end - at) / span) * width
  const inside = peaks(
    points.filter(({ at, value }) => at >= end - span && Number.isFinite(value)),
    (at) => Math.round(x(at)),
  )
  const top = Math.max(...inside.map(({ value }) => value), 1e-9) * 1.1
  /** @param {number} value */
  const y = (value) => height - 2 - (value / top) * (height - 6)
  const line = inside.map(
    ({ at, value }, index) => `${index === 0 ? 'M' : 'L'}${short(x(at))} ${short(y(value))}`,
  )
  const [first, final] = [inside[0], inside.at(-1)]
  const near =
    pointer === undefined ? undefined : nearest(inside, end - ((width - pointer) / width) * span)
  /** @param {PointerEvent} event */
  const move = (event) => {
    const box = /** @type {SVGElement} */ (event.currentTarget).getBoundingClientRect()
    setPointer(((event.clientX - box.left) / box.width) * width)
  }
  const text = near ? `${show(near.value)}, ${ago(near.at, end)}` : ''
  return html`
    <div class=${`chart ${kind}`}>
      <svg viewBox=${`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img"
        aria-label=${`${label}: ${final ? show(final.value) : 'nothing yet'}`}
        onPointerMove=${move} onPointerLeave=${() => setPointer(undefined)}>
        <line class="base" x1="0" x2=${width} y1=${height - 1} y2=${height - 1} />
        ${
          first &&
          final &&
          html`
          <path class="area" d=${`${line.join('')}L${short(x(final.at))} ${height}L${short(x(first.at))} ${height}Z`} />
          <path class="line" d=${line.join('')} />`
        }
        ${near && html`<line class="here" x1=${x(near.at)} x2=${x(near.at)} y1="0" y2=${height} />`}
      </svg>
      ${text && html`<span class="chart-note">${text}</span>`}
    </div>`
}

/** @param {readonly { at: number, value: number }[]} points @param {number} at */
function nearest(points, at) {
  let found = points[0]
  for (const point of points) {
    if (found && Math.abs(point.at - at) < Math.abs(found.at - at)) found = point
  }
  return found
}
