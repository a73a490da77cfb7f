/** Cases as a JUnit report (the XML that Jenkins, GitLab and others read). */
import type { Finding } from './findings.ts'

/** The cases of one file. */
export interface Suite {
  readonly file: string
  readonly cases: readonly Case[]
  /** What keeps the file from being tested. */
  readonly findings: readonly Finding[]
}

/** One case: it holds when it has no findings. */
export interface Case {
  /** What the case is about, such as an operation. */
  readonly subject: string
  readonly name: string
  readonly findings: readonly Finding[]
}

/** XML 1.0 has no other control characters, and no lone surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
const impossible = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // a line break of an attribute would be read as a blank
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
}

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(impossible, '\uFFFD')
    .replaceAll(/[&<>"\n\r\t]/g, (character) => entities[character] ?? character)

const lineOf = ({ file, place, path, message }: Finding): string =>
  `${place ? `${file}:${place.line}:${place.column}` : file}: ${path}: ${message}`

function caseOf({ subject, name, findings }: Case, element: 'failure' | 'error'): string {
  const opening = `    <testcase classname="${escaped(subject)}" name="${escaped(name)}"`
  const [first] = findings
  if (first === undefined) return `${opening}/>\n`
  // readers show one failure of a case
  const lines = escaped(findings.map(lineOf).join('\n'))
  return `${opening}>
      <${element} message="${escaped(first.message)}">${lines}</${element}>
    </testcase>
`
}

function suiteOf({ file, cases, findings }: Suite): string {
  const failures = cases.filter((each) => each.findings.length > 0)
  const errors = findings.length > 0 ? [{ subject: file, name: 'loads', findings }] : []
  const count = cases.length + errors.length
  const body = [
    ...cases.map((each) => caseOf(each, 'failure')),
    ...errors.map((each) => caseOf(each, 'error')),
  ]
  const counts = `tests="${count}" failures="${failures.length}" errors="${errors.length}"`
  return `  <testsuite name="${escaped(file)}" ${counts}>\n${body.join('')}  </testsuite>\n`
}

/** A whole report. */
export const junitReport = (
  suites: readonly Suite[],
): string => `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="wamp-gateway">
${suites.map(suiteOf).join('')}</testsuites>
`
