/** A request as a command of curl: a shell reads it back as it was. */
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { curlOf } from '#http/console/page/lib/curl.js'

/** The arguments that a shell gives to curl. */
const argumentsOf = (command: string): string[] => {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

describe('a request as a command of curl', () => {
  for (const [what, request, expected] of [
    [
      'without headers and body',
      { method: 'get', url: 'http://127.0.0.1:18080/a?b=1&c=$HOME', headers: {} },
      ['-i', '-X', 'GET', 'http://127.0.0.1:18080/a?b=1&c=$HOME'],
    ],
    [
      'with quotes, line feeds and what a shell would run',
      {
        method: 'post',
        url: "http://127.0.0.1:18080/it's",
        headers: { 'x-a': '`id` $(id) "\\' },
        body: '{"a": "it\'s",\n"b": 1}',
      },
      [
        ...['-i', '-X', 'POST', "http://127.0.0.1:18080/it's", '-H', 'x-a: `id` $(id) "\\'],
        ...['--data-raw', '{"a": "it\'s",\n"b": 1}'],
      ],
    ],
  ] as const) {
    it(`${what} is read back as it was`, () => {
      expect(argumentsOf(curlOf(request))).to.deep.equal(expected)
    })
  }
})
