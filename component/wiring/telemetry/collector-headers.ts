/** The header fields of requests to the collector: `telemetry.headers`, as a map or as one text. */
import { type Config, ConfigError } from '#component/config/config.ts'
import { fieldValueProblem, isToken } from '#component/syntax/http-field.ts'
import { readNameValues } from '#component/telemetry/otlp/name-values.ts'

const option = 'telemetry.headers'

/**
 * Undefined where none are configured.
 * @param configured files have been read by now
 * @throws ConfigError that names the field and quotes no value, because values may be secrets
 */
export function collectorHeaders(
  configured: Config['telemetry']['headers'],
): Readonly<Record<string, string>> | undefined {
  if (configured === undefined) return undefined
  const headers = typeof configured === 'string' ? read(configured) : configured
  const problems = Object.entries(headers).flatMap(([name, value]) => {
    if (!isToken(name)) return [`option "${option}": a name is no token: ${JSON.stringify(name)}`]
    const problem = fieldValueProblem(String(value))
    return problem === undefined ? [] : [`option "${option}.${name}": ${problem}`]
  })
  if (problems.length > 0) throw new ConfigError(problems)
  return headers as Readonly<Record<string, string>>
}

function read(text: string): Readonly<Record<string, string>> {
  try {
    return readNameValues(text, `option "${option}"`)
  } catch (cause) {
    throw new ConfigError([(cause as Error).message], { cause })
  }
}
