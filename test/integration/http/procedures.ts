/** Two procedures in the shape of the real ones, over a map. */
import { ServiceError } from '#component/errors.ts'
import type { Management, Procedure } from '#procedures/definition/procedure.ts'

const documents = new Map<string, unknown>()

const find = (id: unknown): unknown => {
  if (!documents.has(String(id))) {
    throw new ServiceError('service.error.not_found', 'there is no such API Specification')
  }
  return documents.get(String(id))
}

export const management = { refusal: () => undefined } as Management

export const procedures: readonly Procedure[] = [
  {
    uri: 'service.load_api_spec',
    parameters: [{ name: 'document', type: 'document' }],
    access: 'load',
    isBodyDocument: true,
    mirrors: [{ method: 'POST', path: '/api_specs' }],
    handler: (_management, [document]) => {
      documents.set('a', document)
      return { value: { id: 'a' }, status: 201, headers: { location: '/api_specs/a' } }
    },
  },
  {
    uri: 'service.get_api_spec',
    parameters: [{ name: 'id', type: 'string' }],
    access: 'read',
    mirrors: [{ method: 'GET', path: '/api_specs/:id' }],
    handler: (_management, [id]) => ({ value: find(id) }),
  },
  {
    uri: 'service.delete_api_spec',
    parameters: [{ name: 'id', type: 'string' }],
    access: 'load',
    mirrors: [{ method: 'DELETE', path: '/api_specs/:id', status: 204 }],
    handler: (_management, [id]) => {
      find(id)
      documents.delete(String(id))
      return { value: null }
    },
  },
]
