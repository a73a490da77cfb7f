/** The arguments of management procedures: in an HTTP body, in a path, in a call. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { procedures } from '#procedures/index.ts'
import { argumentsOfBody, argumentsOfCall } from '#procedures/procedure.ts'

const find = (name: string) => {
  const found = procedures.find(({ uri }) => uri === `service.${name}`)
  if (!found) throw new TypeError(name)
  return found
}

describe('the arguments in an HTTP body', () => {
  it('are the document itself for load and validate', () => {
    for (const name of ['load_api_spec', 'validate_api_spec', 'load_realm']) {
      const body = { id: 'a' }
      expect(argumentsOfBody(find(name), body)).to.deep.equal([body])
      expect(() => argumentsOfBody(find(name), '')).to.throw(ServiceError)
    }
  })

  it('are an object of named parameters for the others, or nothing where there are none', () => {
    expect(argumentsOfBody(find('get_api_spec'), { id: 'a' })).to.deep.equal(['a'])
    expect(argumentsOfBody(find('list_api_specs'), undefined)).to.deep.equal([])
    expect(argumentsOfBody(find('list_api_specs'), {})).to.deep.equal([])
    for (const body of [['a'], 'a', 5, null, {}, { id: 5 }, { name: 'a' }]) {
      expect(() => argumentsOfBody(find('get_api_spec'), body), JSON.stringify(body))
        .to.throw(ServiceError)
        .with.property('uri', 'wamp.error.invalid_argument')
    }
  })

  it('have the others beside those in the path', () => {
    const rollback = find('rollback_api_spec')
    expect(argumentsOfBody(rollback, { hash: 'h' }, { id: 'a' })).to.deep.equal(['a', 'h'])
    for (const body of [{}, { hash: 'h', id: 'a' }, { hash: 'h', id: 'b' }, { hash: 5 }, '']) {
      expect(() => argumentsOfBody(rollback, body, { id: 'a' }), JSON.stringify(body))
        .to.throw(ServiceError)
        .with.property('uri', 'wamp.error.invalid_argument')
    }
  })

  it('count in the message, and show nothing of what was sent', () => {
    expect(() => argumentsOfCall(find('get_api_spec'), ['geheim', 'x'], {})).to.throw(
      'found 2 arguments, expected 1 argument (id)',
    )
    expect(() => argumentsOfCall(find('get_api_spec'), [], { geheim: 1 })).to.throw(
      'found 1 argument by name, expected 1 argument (id)',
    )
  })
})
