/** The rule of `multipart`: the limits of a body of multipart/form-data. */
import { closedMap } from './closed-map.ts'
import { mediaTypes } from './http-rules.ts'
import { described, dynamic, integer } from './rules.ts'

const bytes = integer(1, Number.MAX_SAFE_INTEGER, ' of bytes')

export const multipart = dynamic(
  described(
    closedMap('a map of limits', {
      fields: described(integer(0, 1000), 'How many parts may be fields.', { default: 100 }),
      files: described(integer(0, 100), 'How many parts may be files.', { default: 10 }),
      field_max_bytes: described(bytes, 'The size of each field.', { default: 65_536 }),
      file_max_bytes: described(bytes, 'The size of each file.'),
      types: described(mediaTypes, 'The media types of files, and ranges of them.'),
    }),
    'The limits of a body of multipart/form-data.',
    { title: 'Multipart' },
  ),
)
