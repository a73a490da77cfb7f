/** The alerts of deploy/prometheus, as data. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { deployFolder } from './programs.ts'

/** The file of the alerts. */
export const alertsFile = join(deployFolder, 'prometheus/alerts.yaml')

/** A rule, as Prometheus reads it. */
export interface Alert {
  readonly alert: string
  readonly expr: string
  /** How long the expression must have results; absent: not at all. */
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook_url', string>>
}

interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[]
}

/** All alerts, in the order of the file. */
export const alerts: readonly Alert[] = (
  parse(readFileSync(alertsFile, 'utf8')) as Rules
).groups.flatMap(({ rules }) => rules)
