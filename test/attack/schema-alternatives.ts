/** Small bodies for a schema that refers to itself in its alternatives: there are as many ways through it as 2 to the depth. */
import { posted, postOf } from './posted.ts'

const depth = 30

export const schemaAlternatives = posted(
  'schema-alternatives',
  4,
  `a body of ${2 * depth + 4} bytes for a schema with two kinds of lists`,
  ({ paths }) => postOf(paths.checked, Buffer.from(`${'['.repeat(depth)}true${']'.repeat(depth)}`)),
)
