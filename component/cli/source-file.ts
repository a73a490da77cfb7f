/** The files that a command is given: JSON or YAML, with the places of their values. */
import { readFileSync } from 'node:fs'
import { parseJson } from '#component/codec/json.ts'
import { documentRules, type ReadRules } from '#component/codec/limits.ts'
import {
  isYamlFile,
  type Place,
  parseYaml,
  placeOf,
  placesIn,
  scalarIn,
} from '#component/codec/yaml.ts'
import { type Issue, ServiceError } from '#component/errors.ts'
import { isMap } from '#component/syntax/values.ts'
import { CommandError, exitCode } from './command.ts'
import type { Finding } from './findings.ts'

/** A file that was read. */
export interface SourceFile {
  /** As it was named. */
  readonly file: string
  /** The decoded document. */
  readonly document: unknown
  /** A scalar as its author wrote it, by its JSON Pointer; undefined: there is none. */
  scalarAt(pointer: string): string | undefined
  /** Findings at the places of the issues. */
  findings(severity: Finding['severity'], issues: readonly Issue[]): readonly Finding[]
}

/** A text that is neither JSON nor YAML. */
export class SyntaxFinding extends CommandError {
  readonly finding: Finding

  constructor(finding: Finding) {
    const { file, place, message } = finding
    const where = place ? `${file}:${place.line}:${place.column}` : file
    super(exitCode.data, `${where}: ${message}`)
    this.finding = finding
  }
}

/**
 * Reads a file; by its name, YAML or JSON.
 * @param rules default: those of API Specifications
 * @throws CommandError for a file that cannot be read; SyntaxFinding for a text that cannot
 */
export function readSource(file: string, rules = documentRules): SourceFile {
  const bytes = readBytes(file)
  const text = bytes.toString('utf8')
  // a document of thousands of issues is read once; one without any not at all
  let places: ((pointer: string) => Place) | undefined
  return {
    file,
    document: decode(file, bytes, text, rules),
    scalarAt: (pointer) => scalarIn(text, pointer),
    findings(severity, issues) {
      if (issues.length === 0) return []
      places ??= placesIn(text)
      const placeAt = places
      return issues.map(({ path, message }) => ({
        ...{ severity, file, path, message },
        place: placeAt(path),
      }))
    },
  }
}

/** The bytes of a file. @throws CommandError for one that cannot be read */
export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    const isAbsent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const reason = isAbsent ? 'no such file' : cause instanceof Error ? cause.message : 'unreadable'
    throw new CommandError(exitCode.noInput, `${file}: ${reason}`, { cause })
  }
}

function decode(file: string, bytes: Buffer, text: string, rules: ReadRules): unknown {
  try {
    return isYamlFile(file) ? parseYaml(bytes, rules) : parseJson(bytes, rules)
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause
    const place = syntaxPlace(cause.message, text)
    const message = cause.message.replace(/ at (line|position) .*/, '')
    throw new SyntaxFinding({ severity: 'error', file, path: '', message, ...(place && { place }) })
  }
}

/** The place that a message of the readers names: JSON by its position, YAML by line and column. */
function syntaxPlace(message: string, text: string): Place | undefined {
  const position = / at position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return placeOf(text, Number(position))
  const [, line, column] = / at line (\d+), column (\d+)/.exec(message) ?? []
  if (line === undefined) return undefined
  const whole = text.split('\n')[Number(line) - 1] ?? ''
  return { line: Number(line), column: Number(column), text: whole.replace(/\r$/, '') }
}

/** What a file holds. */
export type Kind = 'api-spec' | 'realm' | 'config'

/** The kind of a document, by what only one of them has. */
export function kindOf(document: unknown): Kind {
  const first = Array.isArray(document) ? document[0] : document
  if (!isMap(first) || 'versions' in first) return 'api-spec'
  if ('uri' in first) return 'realm'
  return 'id' in first ? 'api-spec' : 'config'
}
