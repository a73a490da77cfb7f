/** The rules of single fields, as they are asked for values folded from expressions. */
import { expect } from 'chai'
import type { Issue } from '#component/errors.ts'
import { checkField } from '#component/spec/fields.ts'
import { Report } from '#component/spec/report.ts'
import { oneOf } from '#component/spec/rules.ts'
import { show } from './field-rows.ts'

describe('checkField', () => {
  for (const [field, value, pointers] of [
    ['timeout', 15000, []],
    ['timeout', 'x', ['/p']],
    ['accepts', ['text/html', 'application/json'], []],
    ['accepts', ['html', 'application/json'], ['/p/0']],
    ['headers', { 'x-a': 'a\n', 'x-b': '{{request.id}}' }, ['/p/x-a']],
    ['operation', { action: { type: 'static' } }, ['/p/response']],
    ['operation', { action: '{{}}', response: '{{}}', timeout: '{{}}' }, []],
    ['action', { type: 'wamp_call' }, ['/p/procedure']],
    ['action', { type: 'wamp_call', procedure: 'a', args: [], arguments: [] }, ['/p/arguments']],
    [
      'action',
      { type: 'wamp_call', procedure: 'a', kwargs: {}, arguments_kw: {} },
      ['/p/arguments_kw'],
    ],
    ['response', { on_error: { status_code: 99 } }, ['/p/on_error/status_code']],
    ['security', { type: 'magic', flow: 'x' }, ['/p/type']],
    ['http_method', 'trace', ['/p']],
    ['host', '169.254.1.1', ['/p']],
    ['status_code', 99, ['/p']],
  ] as const) {
    it(`finds ${pointers.length} issues in the ${field} ${show(value)}`, () => {
      expect(checkField(field, value, '/p').map((issue) => issue.path)).to.deep.equal(pointers)
    })
  }

  for (const [field, value, end] of [
    ['action', { type: 'wamp_cal' }, 'each, got "wamp_cal"; did you mean wamp_call?'],
    ['action', { type: 'Static' }, 'each, got "Static"; did you mean static?'],
    ['action', { type: 'exec' }, 'each, got "exec"'],
    ['action', { type: 7 }, 'each, got 7'],
  ] as const) {
    it(`says what was meant by the ${field} ${show(value)}, where that is near`, () => {
      const [issue] = checkField(field, value, '/p')
      expect(issue?.message).to.match(/^expected one of static, /)
      expect(issue?.message.endsWith(end), issue?.message).to.equal(true)
    })
  }

  it('hints at no text where values are hidden', () => {
    const report = new Report([], 'hidden')
    oneOf(['secret'])('secre', '/p', report)
    expect(report.issues).to.deep.equal([{ path: '/p', message: 'expected one of secret' }])
  })

  it('hands out warnings', () => {
    const warnings: Issue[] = []
    checkField('response', { on_resul: {} }, '/p', warnings)
    expect(warnings).to.deep.equal([
      {
        path: '/p/on_resul',
        message: 'the key "on_resul" is unknown and is ignored; did you mean on_result?',
      },
    ])
  })
})
