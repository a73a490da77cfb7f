/** nginx and Varnish get the cases of RFC 9111, too: where they do otherwise, the table says why. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { cacheCases } from '#test/cases/shared-cache.ts'
import { debianProgram } from '#test/deploy/programs.ts'
import { freePort } from '#test/support/free-port.ts'
import { send } from '#test/support/http-request.ts'
import { isReusedBy, NumberedUpstream } from '#test/support/numbered-upstream.ts'
import { until } from '#test/support/running/until.ts'

/** A cache: its command for a port, a folder and the port of the upstream. */
const caches = {
  nginx: {
    program: () => debianProgram('nginx', 'nginx-light'),
    arguments(port: number, folder: string, upstream: number): readonly string[] {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${folder}/${name};`)
        .join('\n')
      const file = join(folder, 'nginx.conf')
      writeFileSync(
        file,
        `pid ${folder}/nginx.pid;
daemon off;
error_log ${folder}/error.log;
events {}
http {
access_log off;
${temporary}
proxy_cache_path ${folder}/cache keys_zone=cases:1m;
server {
listen 127.0.0.1:${port};
location / { proxy_pass http://127.0.0.1:${upstream}; proxy_cache cases; }
}
}
`,
      )
      return ['-c', file]
    },
  },
  varnish: {
    program: () => debianProgram('varnishd', 'varnish'),
    // grace is stale_while_revalidate, which the cases do not ask for
    arguments: (port: number, folder: string, upstream: number): readonly string[] => [
      ...['-F', '-n', folder, '-j', 'none', '-a', `127.0.0.1:${port}`],
      ...['-b', `127.0.0.1:${upstream}`, '-p', 'default_grace=0', '-p', 'default_keep=0'],
      ...['-p', 'default_ttl=0'],
    ],
  },
} as const

for (const name of ['nginx', 'varnish'] as const) {
  describe(`RFC 9111 by ${name}`, () => {
    const upstream = new NumberedUpstream()
    let child: ChildProcess
    let folder: string
    let base: string

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), `${name}-`))
      chmodSync(folder, 0o755)
      const port = await freePort()
      const { port: upstreamPort } = new URL(await upstream.listen())
      const cache = caches[name]
      child = spawn(cache.program(), cache.arguments(port, folder, Number(upstreamPort)), {
        stdio: 'ignore',
      })
      base = `http://127.0.0.1:${port}`
      const isUp = () =>
        send(base, '/up').then(
          () => true,
          () => false,
        )
      await until(`${name} answers`, isUp, 30_000)
    })
    after(async () => {
      child?.kill()
      if (child?.exitCode === null) await once(child, 'exit')
      upstream.close()
      rmSync(folder, { recursive: true, force: true })
    })

    for (const [index, row] of cacheCases.entries()) {
      const { section, demand, isReused } = row
      const why = row[name]
      it(`§${section}: ${demand}${why === undefined ? '' : `; not so here: ${why}`}`, async () => {
        const found = await isReusedBy(base, upstream, row, `/case/${index}`)
        expect(found).to.equal(why === undefined ? isReused : !isReused)
      })
    }
  })
}
