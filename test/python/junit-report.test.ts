/** Reports of JUnit, read by the XML parser of Python: counts and texts arrive as they were, whatever characters they hold. */
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { junitReport } from '#component/cli/junit.ts'
import { pythonProgram } from '#test/support/peers/python-environment.ts'

const reads = `
import json, sys
from xml.etree import ElementTree
root = ElementTree.fromstring(sys.stdin.buffer.read())
print(json.dumps([[suite.attrib, [[case.attrib, [[found.tag, found.get('message'), found.text] for found in case]]
                                  for case in suite]] for suite in root]))`

describe('a report of JUnit', () => {
  it('is read by a parser of XML', () => {
    const odd = '<&"\'>]]>\n\t é😀'
    const finding = { severity: 'error', file: odd, path: '/a', message: odd } as const
    const cases = [
      { subject: 'GET /a', name: odd, findings: [finding, finding] },
      { subject: 'GET /b', name: 'b', findings: [] },
    ]
    const report = junitReport([
      { file: odd, cases, findings: [] },
      { file: 'b.json', cases: [], findings: [{ ...finding, message: 'a\u0000b\uD800' }] },
    ])
    const read = execFileSync(pythonProgram('python'), ['-c', reads], { input: report })
    const line = `${odd}: /a: ${odd}`
    expect(JSON.parse(read.toString())).to.deep.equal([
      [
        { name: odd, tests: '2', failures: '1', errors: '0' },
        [
          [{ classname: 'GET /a', name: odd }, [['failure', odd, `${line}\n${line}`]]],
          [{ classname: 'GET /b', name: 'b' }, []],
        ],
      ],
      [
        { name: 'b.json', tests: '1', failures: '0', errors: '1' },
        [
          [
            { classname: 'b.json', name: 'loads' },
            [['error', 'a\uFFFDb\uFFFD', `${odd}: /a: a\uFFFDb\uFFFD`]],
          ],
        ],
      ],
    ])
  })
})
