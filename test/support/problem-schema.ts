/** The JSON Schema of problem details (RFC 9457, appendix A), with the formats that it names. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'

const reference = (description: string) => ({
  ...{ type: 'string', format: 'uri-reference', description },
})
const text = (description: string) => ({ type: 'string', description })

/** Members beside these are extensions (§3.2). */
const problemSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    type: reference('The problem type.'),
    title: text('A summary of the problem type for people.'),
    status: {
      ...{ type: 'integer', minimum: 100, maximum: 599 },
      description: 'The HTTP status of this occurrence.',
    },
    detail: text('An explanation of this occurrence for people.'),
    instance: reference('This occurrence.'),
  },
}

const validate = new Ajv2020({ allErrors: true, formats: fullFormats }).compile(problemSchema)

/** What is wrong with a problem; nothing where it is valid. */
export function problemFaults(body: unknown): readonly string[] {
  validate(body)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
