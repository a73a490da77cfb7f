/** Which members of the request a value names. */
import { expect } from 'chai'
import { membersRead } from '#component/expression/probe/members-read.ts'
import { stage1 } from './context.ts'

const read = (value: unknown, variables: object = {}) =>
  [...membersRead(stage1(value, { variables }).node)].sort()

describe('the members of the request that a value reads', () => {
  it('are those of its paths', () => {
    expect(read('a {{request.query_params.limit}} {{request.body.a.b.c}}')).to.deep.equal([
      'request.body.a',
      'request.body.a.b.c',
      'request.query_params.limit',
    ])
  })

  it('are those that get and with name, whatever is done with them', () => {
    const value = {
      limit: '{{request.query_params |> get(limit, 20) |> integer}}',
      rest: [
        '{{request.headers |> with([x-a, x-b]) |> put(c, {{request.query_params |> get(q)}})}}',
      ],
    }
    expect(read(value)).to.include.members([
      'request.query_params.limit',
      'request.query_params.q',
      'request.headers.x-a',
      'request.headers.x-b',
    ])
  })

  it('are those that variables read, and those that are taken from variables', () => {
    const variables = { all: '{{request.query_params}}', page: '{{variables.all |> get(page)}}' }
    expect(
      read('{{variables.page |> default({{variables.all |> get(p)}})}}', variables),
    ).to.include.members(['request.query_params.page', 'request.query_params.p'])
  })

  it('do not have what the request itself names', () => {
    expect(read('{{request.headers |> get({{request.body.name}})}}')).to.deep.equal([
      'request.body.name',
      'request.headers',
    ])
  })
})
