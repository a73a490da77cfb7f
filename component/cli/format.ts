/** The formats of a result: for people, for programs, for GitHub's annotations, SARIF, and JUnit. */
import { stringifyJson } from '#component/codec/json.ts'
import type { Format, Result } from './command.ts'
import type { Finding } from './findings.ts'
import { junitReport } from './junit.ts'

const rules = [
  { id: 'refused', shortDescription: { text: 'A load refuses the document.' } },
  { id: 'warned', shortDescription: { text: 'A load accepts the document with a warning.' } },
  { id: 'differs', shortDescription: { text: 'The gateway has another value, or none.' } },
  { id: 'example-fails', shortDescription: { text: 'An example of the document does not hold.' } },
]

/** By severity. */
const verdicts = {
  error: { ruleId: 'refused', level: 'error' },
  warning: { ruleId: 'warned', level: 'warning' },
  notice: { ruleId: 'differs', level: 'note' },
} as const

/** A whole log with one run. */
const sarifLog = (findings: readonly Finding[]): unknown => ({
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
  runs: [
    {
      tool: { driver: { name: 'wamp-gateway', rules } },
      columnKind: 'utf16CodeUnits',
      results: findings.map(resultOf),
    },
  ],
})

const resultOf = ({ severity, rule, file, place, path, message }: Finding): unknown => ({
  ...verdicts[severity],
  ...(rule && { ruleId: rule }),
  message: { text: message },
  locations: [
    {
      physicalLocation: {
        // a URI reference: a folder keeps its slash
        artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') },
        ...(place && { region: { startLine: place.line, startColumn: place.column } }),
      },
      logicalLocations: [{ fullyQualifiedName: path, kind: 'value' }],
    },
  ],
})

/** How a result is printed. */
export interface Style {
  readonly format: Format
  readonly hasColor: boolean
  /** Findings only. */
  readonly isQuiet: boolean
}

const red = '\u001B[31m'
const yellow = '\u001B[33m'
const colors = { error: red, warning: yellow, notice: yellow }
const plain = '\u001B[39m'

/** The whole text for standard output; whole lines. */
export function print({ value, text, findings = [], suites = [] }: Result, style: Style): string {
  const shown = style.isQuiet ? '' : text
  switch (style.format) {
    case 'human':
      return findings.map((each) => forPeople(each, style.hasColor)).join('') + shown
    case 'json':
      return `${pretty(value)}\n`
    case 'github':
      return findings.map(annotation).join('') + shown
    case 'sarif':
      return `${pretty(sarifLog(findings))}\n`
    case 'junit':
      return junitReport(suites)
  }
}

/** Most characters that are printed. */
const longestText = 1024 ** 3

/** JSON for people and programs, with all digits of every integer. */
export const pretty = (value: unknown): string => stringifyJson(value, longestText, 2)

/** `file:line:column: severity: pointer: message`, then the line, with a caret below its place. */
const forPeople = (finding: Finding, hasColor: boolean): string =>
  `${sentence(finding, hasColor)}${finding.place ? excerpt(finding.place) : ''}`

/** `file:line:column: severity: pointer: message`, a whole line. */
export function sentence(finding: Finding, hasColor: boolean): string {
  const { severity, file, place, path, message } = finding
  const where = place ? `${file}:${place.line}:${place.column}` : file
  const word = hasColor ? `${colors[severity]}${severity}${plain}` : severity
  return `${where}: ${word}: ${path || '(document)'}: ${message.replaceAll('\n', '\n    ')}\n`
}

/** Most characters of a line that are shown, and those before the place. */
const shownWidth = 100
const shownBefore = 40

function excerpt({ line, column, text }: NonNullable<Finding['place']>): string {
  const start = column - 1 <= shownWidth - shownBefore ? 0 : column - 1 - shownBefore
  const part = text.slice(start, start + shownWidth).replaceAll('\t', ' ')
  const number = String(line)
  const caret = `${' '.repeat(column - 1 - start)}^`
  return `  ${number} | ${part.trimEnd()}\n  ${' '.repeat(number.length)} | ${caret}\n`
}

/** A workflow command of GitHub Actions: a property may hold neither `:` nor `,` as they are. */
function annotation({ severity, file, place, path, message }: Finding): string {
  const at = place ? `,line=${place.line},col=${place.column}` : ''
  return `::${severity} file=${property(file)}${at}::${data(`${path || '(document)'}: ${message}`)}\n`
}

const data = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** A value in a table or a line; an empty text stands for null and undefined. */
export const shownText = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value)
