/** The dashboard of deploy/grafana, as data. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deployFolder } from './programs.ts'

/** The file that is imported into Grafana. */
export const dashboardFile = join(deployFolder, 'grafana/wamp-gateway.json')

/** One query of a panel. */
interface Target {
  readonly refId: string
  readonly expr: string
  readonly legendFormat?: string
}

/** A panel or the heading of a row, as Grafana reads it. */
export interface DrawnPanel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly gridPos: {
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }
  /** Absent for the heading of a row. */
  readonly targets?: readonly Target[]
}

interface Dashboard {
  readonly panels: readonly DrawnPanel[]
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly definition?: string }[]
  }
}

/** The dashboard as it is in the file. */
export const dashboard = JSON.parse(readFileSync(dashboardFile, 'utf8')) as Dashboard

/** All queries with the titles of their panels. */
export const panelQueries: readonly { readonly title: string; readonly expr: string }[] =
  dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ title, expr })),
  )
