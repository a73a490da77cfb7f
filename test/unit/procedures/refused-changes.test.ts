/** Which procedures are changes: they are refused while nothing may be changed. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { type Management, perform } from '#procedures/definition/procedure.ts'
import { procedures } from '#procedures/index.ts'
import { document } from '#test/unit/registry/doubles.ts'
import { ada, find, managementOf } from './doubles.ts'

describe('while nothing may be changed', () => {
  const away = new ServiceError('service.error.unavailable', 'the router is away')

  it('every change is refused before it is looked at, and everything else is answered', async () => {
    const { management } = await managementOf()
    await perform(find('load_api_spec'), management, [document('a')], ada)
    const closed: Management = { ...management, refusal: () => away }
    const outcomes = await Promise.all(
      procedures.map(async (procedure) => {
        const args = procedure.isBodyDocument
          ? [document('a')]
          : procedure.parameters.map(() => 'a')
        const outcome = await perform(procedure, closed, args, ada).then(
          () => 'answered',
          (cause: unknown) => (cause === away ? 'refused' : 'answered'),
        )
        return `${procedure.uri} ${outcome}`
      }),
    )
    expect(outcomes.filter((outcome) => outcome.endsWith('refused'))).to.deep.equal([
      'service.load_api_spec refused',
      'service.delete_api_spec refused',
      'service.rollback_api_spec refused',
      'service.purge_cache refused',
      'service.load_realm refused',
      'service.delete_realm refused',
      'service.rollback_realm refused',
      'service.set_user refused',
      'service.delete_user refused',
      'service.set_grant refused',
      'service.delete_grant refused',
      'service.set_upstream_target refused',
      'service.change_password refused',
      'service.issue_api_key refused',
      'service.revoke_api_key refused',
      'service.revoke_all refused',
      'service.end_sessions refused',
      'service.forget_account refused',
      'service.rotate_realm_keys refused',
      'service.ticket.issue refused',
      'service.ticket.revoke refused',
      'service.issue_trace_token refused',
    ])
    expect(management.registry.list()).to.have.length(1)
  })
})
