/** Examples of the actions that hand something to a delivery of the document: results and errors. */
import { expect } from 'chai'
import { errorUris } from '#component/errors.ts'
import { problemsOf } from './one-example.ts'

const more = {
  deliveries: {
    sent: { topic: 'com.example.order', to: { url: 'https://shop.example.com/' } },
    own: { topic: 'com.example.order', to: { endpoints: {} } },
  },
}

const responding = (member: string) => ({
  on_result: { body: ['{{action.result.is_repeat}}', `{{action.result.${member}}}`] },
  on_error: {},
})
const operations = {
  deliver: {
    action: { type: 'deliver', delivery: 'sent', topic: 'com.example.order' },
    response: responding('webhook_id'),
  },
  delivery_endpoint: {
    action: { type: 'delivery_endpoint', delivery: 'own', do: 'list' },
    security: { type: 'basic' },
    response: responding('secret'),
  },
}

const ada = { as: { authid: 'ada' }, request: { bindings: { id: '7' } } }

describe('an example of an action of deliveries', () => {
  for (const [type, operation] of Object.entries(operations)) {
    it(`has the result that is given, and else what the action has: ${type}`, async () => {
      const example = {
        ...ada,
        outcome: { result: { is_repeat: true } },
        expect: { status: 200, body: [true, type === 'deliver' ? 'msg_example' : null] },
      }
      expect(await problemsOf(operation, example, more)).to.deep.equal([])
    })

    for (const error_uri of errorUris) {
      it(`fails as the gateway does: ${type}, ${error_uri}`, async () => {
        const error = { error_uri, kwargs: { message: 'no' } }
        const example = { ...ada, outcome: { error }, expect: { error_code: error_uri } }
        expect(await problemsOf(operation, example, more)).to.deep.equal([])
      })
    }

    it(`fails as without an outbox where the error is another: ${type}`, async () => {
      const error = { error_uri: 'com.example.error.no' }
      const expected = { status: 503, error_code: 'service.error.unavailable' }
      const example = { ...ada, outcome: { error }, expect: expected }
      expect(await problemsOf(operation, example, more)).to.deep.equal([])
    })
  }
})
