/** The arguments of management procedures: in an HTTP body, in a path, in a call. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { argumentsOfBody, argumentsOfCall } from '#procedures/definition/arguments.ts'
import { procedures } from '#procedures/index.ts'

const find = (name: string) => {
  const found = procedures.find(({ uri }) => uri === `service.${name}`)
  if (!found) throw new TypeError(name)
  return found
}

describe('the arguments in an HTTP body', () => {
  it('are the document itself for load and validate', () => {
    for (const name of ['load_api_spec', 'validate_api_spec', 'load_realm']) {
      const body = { id: 'a' }
      expect(argumentsOfBody(find(name), body)[0]).to.equal(body)
      expect(() => argumentsOfBody(find(name), '')).to.throw(ServiceError)
    }
  })

  it('are the document and what the query has', () => {
    const args = argumentsOfBody(find('load_api_spec'), { id: 'a' }, { examples: 'warn' })
    expect(args).to.deep.equal([{ id: 'a' }, 'warn'])
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

  it('are one parameter with what the path has of it', () => {
    const [setUser, setGrant] = [find('set_user'), find('set_grant')]
    const path = { uri: 'com.example', username: 'bob' }
    const args = (body: unknown) => argumentsOfBody(setUser, body, path, 'user')
    for (const body of [{ password: 'p' }, { password: 'p', username: 'bob' }]) {
      expect(args(body)).to.deep.equal(['com.example', { username: 'bob', password: 'p' }])
    }
    expect(args({ uri: 'a key of the user' })).to.deep.equal([
      ...['com.example', { uri: 'a key of the user', username: 'bob' }],
    ])
    expect(argumentsOfBody(setGrant, { roles: [] }, { uri: 'com.example' }, 'grant')).to.deep.equal(
      [...['com.example', { roles: [] }]],
    )
    for (const body of [undefined, '', null, [], 'x', { username: 'eve' }]) {
      expect(() => args(body), JSON.stringify(body))
        .to.throw(ServiceError)
        .with.property('uri', 'wamp.error.invalid_argument')
    }
    expect(argumentsOfBody(setUser, { uri: 'a', user: {} })).to.deep.equal(['a', {}])
    expect(() => argumentsOfBody(setUser, { uri: 'a', user: 'bob' })).to.throw(ServiceError)
  })

  it('may be left out where they are optional', () => {
    const issue = find('ticket.issue')
    expect(argumentsOfBody(issue, undefined)).to.deep.equal([undefined, undefined])
    expect(argumentsOfBody(issue, { scope: 'local' })).to.deep.equal([undefined, 'local'])
    expect(argumentsOfCall(issue, [60], {})).to.deep.equal([60, undefined])
    expect(argumentsOfCall(issue, [], { expiry_time_secs: 60 })).to.deep.equal([60, undefined])
    expect(argumentsOfCall(issue, [], {})).to.deep.equal([undefined, undefined])
    for (const [args, kwargs] of [
      [[60, 'local', 1], {}],
      [['60'], {}],
      [[1.5], {}],
      [[null], {}],
      [[60, 5], {}],
      [[], { expiry: 60 }],
      [[60], { scope: 'local' }],
    ] as const) {
      expect(() => argumentsOfCall(issue, args, kwargs), JSON.stringify([args, kwargs]))
        .to.throw(ServiceError)
        .with.property('uri', 'wamp.error.invalid_argument')
    }
    expect(() => argumentsOfCall(issue, [1, 'a', 2], {})).to.throw(
      'found 3 arguments, expected 0 to 2 arguments (expiry_time_secs, scope)',
    )
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
