/** An API with every kind of parameter and body, all of it described by schemas. */

import type { JsonMap } from '#component/syntax/values.ts'

/** Where its procedures are. */
export const ordersRealm = 'com.example.orders'

const object = (properties: JsonMap, ...required: readonly string[]) => ({
  ...{ type: 'object', properties, additionalProperties: false },
  ...(required.length > 0 && { required }),
})
const ref = (name: string) => ({ $ref: `#/schemas/${name}` })

const schemas = {
  Sku: { type: 'string', pattern: '^[A-Z0-9-]{3,20}$' },
  Item: object(
    { sku: ref('Sku'), count: { type: 'integer', minimum: 1, maximum: 1000 } },
    'sku',
    'count',
  ),
  NewOrder: object(
    {
      customer: { type: 'string', format: 'uuid' },
      items: { type: 'array', minItems: 1, maxItems: 100, items: ref('Item') },
      note: { type: ['string', 'null'], maxLength: 200 },
      gift: { type: 'boolean', default: false },
    },
    'customer',
    'items',
  ),
  Order: {
    type: 'object',
    required: ['id', 'state', 'order'],
    properties: {
      id: { type: 'integer', format: 'int64' },
      state: { enum: ['open', 'sent'] },
      order: ref('NewOrder'),
    },
  },
  Comment: object(
    { text: { type: 'string', minLength: 1 }, stars: { type: 'integer', minimum: 1, maximum: 5 } },
    'text',
  ),
  // contains itself
  Category: object(
    { name: { type: 'string' }, below: { type: 'array', maxItems: 3, items: ref('Category') } },
    'name',
  ),
}

const first = '{{action.result.args |> head}}'
const notFound = { 404: { description: 'There is no such order.' } }
const response = (on_result: JsonMap) => ({ on_result, on_error: {} })

const calls = (name: string, more: JsonMap = {}) => ({
  type: 'wamp_call',
  procedure: `${ordersRealm}.${name}`,
  ...more,
})

// a path holds integers of 64 bits
const id = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
const byId = { bindings: object({ id }) }

const paths = {
  '/orders': {
    get: {
      operation_id: 'listOrders',
      tags: ['orders'],
      request: {
        query_params: object({
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
          state: { type: 'array', maxItems: 2, items: { enum: ['open', 'sent'] } },
          after: { type: 'string', format: 'date-time' },
          gift: { type: 'boolean' },
        }),
        headers: {
          type: 'object',
          properties: { 'x-shop': { type: 'string', enum: ['north', 'south'] } },
        },
      },
      action: calls('list', { kwargs: '{{request.query_params}}' }),
      response: response({ body: first, schema: { type: 'array', items: ref('Order') } }),
    },
    post: {
      operation_id: 'createOrder',
      tags: ['orders'],
      request: { body: ref('NewOrder') },
      action: calls('create', { args: ['{{request.body}}'] }),
      response: response({
        ...{ body: first, schema: ref('Order') },
        uri: '/v1/orders/{{action.result.args |> head |> get(id)}}',
      }),
    },
  },
  '/orders/:id': {
    request: byId,
    get: {
      operation_id: 'getOrder',
      responses: notFound,
      action: calls('get', { args: ['{{request.bindings.id}}'] }),
      response: response({ body: first, schema: ref('Order') }),
    },
    put: {
      operation_id: 'replaceOrder',
      request: { body: ref('NewOrder') },
      responses: notFound,
      action: calls('replace', { args: ['{{request.bindings.id}}', '{{request.body}}'] }),
      response: response({ body: first, schema: ref('Order') }),
    },
    delete: {
      operation_id: 'deleteOrder',
      responses: notFound,
      action: calls('delete', { args: ['{{request.bindings.id}}'] }),
      response: response({}),
    },
  },
  '/orders/:id/comments': {
    request: byId,
    post: {
      operation_id: 'comment',
      accepts: ['application/x-www-form-urlencoded'],
      request: { body: ref('Comment') },
      action: {
        type: 'wamp_publish',
        topic: `${ordersRealm}.on_comment`,
        args: ['{{request.bindings.id}}'],
        kwargs: '{{request.body}}',
      },
      response: response({ status_code: 202 }),
    },
  },
  '/categories': {
    put: {
      operation_id: 'sortCategories',
      request: { body: ref('Category'), body_required: false },
      action: {
        type: 'static',
        body: "{{request.body |> equal('') |> if({{variables.none}}, {{request.body}})}}",
      },
      response: response({ schema: ref('Category') }),
    },
  },
  '/hats/[page/[:number]]': {
    get: {
      operation_id: 'hats',
      request: { bindings: object({ number: { type: 'integer', minimum: 0, maximum: 9 } }) },
      action: { type: 'static', body: { hats: [] } },
      response: response({ schema: object({ hats: { type: 'array', items: {} } }, 'hats') }),
    },
  },
  '/staff': {
    get: {
      operation_id: 'staff',
      security: { type: 'basic' },
      action: { type: 'static', body: { name: '{{security.authid}}' } },
      response: response({ schema: object({ name: { type: 'string' } }, 'name') }),
    },
  },
}

/** The document; published at /v1/openapi. */
export const ordersDocument = {
  ...{ id: ordersRealm, host: '_', realm_uri: ordersRealm, schemas },
  variables: { none: { name: 'none' } },
  status_codes: { [`${ordersRealm}.error.not_found`]: 404 },
  defaults: { validate_responses: 'enforce' },
  versions: {
    '1.0': { base_path: '/v1', info: { title: 'Orders' }, openapi: { path: '/openapi' }, paths },
  },
}
