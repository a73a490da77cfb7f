/** Findings as a log of SARIF 2.1.0 (OASIS), which code scanning tools read. */
import type { Finding } from './findings.ts'

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
export const sarifLog = (findings: readonly Finding[]): unknown => ({
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
