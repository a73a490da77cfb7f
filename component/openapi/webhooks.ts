/** The deliveries of a document as `webhooks` of its description: what receivers are sent. Only those with a `description` are told. */
import { deliveryDefaults } from '#component/spec/delivery-rules.ts'
import type { ApiSpec, SpecDelivery } from '#component/spec/model.ts'
import { isExpression } from '#component/spec/rules.ts'
import { isMap, type JsonMap, mapOrEmpty } from '#component/syntax/values.ts'
import { textOf } from './authored.ts'

const text = { type: 'string' } as const

/** What a body of the document looks like, as far as it is written out. */
function schemaOf(written: unknown): JsonMap {
  if (typeof written === 'string' && isExpression(written)) return {}
  if (Array.isArray(written)) return { type: 'array' }
  if (!isMap(written)) return { const: written }
  const members = Object.entries(written)
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([key, value]) => [key, schemaOf(value)])),
    required: members.map(([key]) => key),
  }
}

/** Without a body of the document. */
const usualBody: JsonMap = {
  type: 'object',
  properties: {
    type: { ...text, description: 'The topic.' },
    timestamp: { ...text, format: 'date-time', description: 'When the event was accepted.' },
    data: { type: 'object', description: 'The keyword arguments of the event.' },
  },
  required: ['type', 'timestamp', 'data'],
}

const header = (name: string, description: string, more: object = {}) => ({
  ...{ name, in: 'header', required: true, description },
  schema: { ...text, ...more },
})

const id = header('webhook-id', 'The same for each attempt: an event comes at least once.')
const time = header('webhook-timestamp', 'When it was sent; seconds since the epoch.', {
  pattern: '^\\d+$',
})

/** The media type of the body; undefined where an expression decides it. */
function typeOf(to: JsonMap): string | undefined {
  const headers = Object.entries(mapOrEmpty(to.headers))
  const declared = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  if (declared === undefined) return 'application/json'
  return typeof declared === 'string' && !isExpression(declared) ? declared : undefined
}

/** One delivery. */
function webhookOf({ document }: SpecDelivery): JsonMap {
  const { to, body, summary, description } = document
  const target = mapOrEmpty(to)
  const schema = Object.hasOwn(document, 'body') ? schemaOf(body) : usualBody
  const operation = {
    ...(textOf(summary) !== undefined && { summary }),
    description,
    parameters: [id, time],
    requestBody: { required: true, content: { [typeOf(target) ?? '*/*']: { schema } } },
    responses: {
      '2XX': { description: 'The event is taken.' },
      '410': { description: 'No more events are sent.' },
      default: { description: 'The event is sent again later.' },
    },
  }
  return { [String(target.method ?? deliveryDefaults.method)]: operation }
}

/** `webhooks` of a description; undefined: there is nothing to tell. */
export function webhooksOf({ deliveries }: ApiSpec): JsonMap | undefined {
  const told = deliveries.filter(
    ({ document, is_active }) => is_active && textOf(document.description) !== undefined,
  )
  if (told.length === 0) return undefined
  return Object.fromEntries(told.map((one) => [one.name, webhookOf(one)]))
}
