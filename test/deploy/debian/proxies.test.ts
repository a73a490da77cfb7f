/** nginx and Caddy as deploy/ configures them, in front of a gateway: requests, WAMP sessions at `/ws`, and no management. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { debianProgram, deployFolder } from '#test/deploy/programs.ts'
import { type WrittenCertificate, writeCertificate } from '#test/support/certificate.ts'
import { run } from '#test/support/command.ts'
import { hello } from '#test/support/examples/hello.ts'
import { freePort } from '#test/support/free-port.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { until } from '#test/support/running/until.ts'

/** Answers with what the gateway knows of its client. */
const document = {
  id: 'com.example.client',
  host: '_',
  realm_uri: 'com.example.test',
  versions: {
    1: {
      base_path: '/client',
      paths: {
        '/seen': {
          get: {
            action: {
              type: 'static',
              body: {
                peer: '{{request.peername}}',
                scheme: '{{request.scheme}}',
                host: '{{request.host}}',
              },
            },
            response: {},
          },
        },
      },
    },
  },
}

/** What clients may send to be taken for others. */
const forged = {
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-proto': 'http',
  'x-forwarded-host': 'other.example',
  'x-real-ip': '203.0.113.9',
  forwarded: 'for=203.0.113.9;host=other.example;proto=http',
}

/** Where a proxy listens, what it serves, and the files that it may write. */
interface Place {
  readonly port: number
  readonly upstream: string
  readonly certificate: WrittenCertificate
  readonly folder: string
}

/** The text with each part replaced. @throws Error for a part that is not there */
function replaced(file: string, parts: Readonly<Record<string, string>>): string {
  let configuration = readFileSync(join(deployFolder, file), 'utf8')
  for (const [part, other] of Object.entries(parts)) {
    if (!configuration.includes(part)) throw new Error(`${file} has no ${part}`)
    configuration = configuration.replaceAll(part, other)
  }
  return configuration
}

/** A proxy: its command, and its configuration, which is written to `file`. */
interface Proxy {
  readonly program: () => string
  configuration(place: Place): string
  check(file: string): readonly string[]
  serve(file: string): readonly string[]
}

const proxies: Readonly<Record<string, Proxy>> = {
  nginx: {
    program: () => debianProgram('nginx', 'nginx-light'),
    configuration({ port, upstream, certificate, folder }) {
      const file = replaced('nginx.conf', {
        'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
        'server 127.0.0.1:18080': `server ${upstream}`,
        'gateway.example.com;': 'localhost;',
        '/etc/ssl/certs/gateway.example.com.pem': certificate.cert,
        '/etc/ssl/private/gateway.example.com.key': certificate.key,
      })
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${folder}/${name};`)
        .join('\n')
      return `pid ${folder}/nginx.pid;\ndaemon off;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${file}}\n`
    },
    check: (file) => ['-t', '-c', file],
    serve: (file) => ['-c', file],
  },
  Caddy: {
    program: () => debianProgram('caddy', 'caddy'),
    configuration({ port, upstream, certificate }) {
      const file = replaced('Caddyfile', {
        'gateway.example.com {': `localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate.cert} ${certificate.key}`,
        '127.0.0.1:18080': upstream,
      })
      return `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n${file}`
    },
    check: (file) => ['validate', '--adapter', 'caddyfile', '--config', file],
    serve: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
}

for (const [name, proxy] of Object.entries(proxies)) {
  describe(`${name} in front of a gateway`, function () {
    this.timeout(60_000)
    let gateway: GatewayProcess
    let child: ChildProcess
    let folder: string
    let file: string
    let port: number
    let ca: string

    /** GETs a path through the proxy. */
    const ask = async (path: string, headers = {}) => {
      const outgoing = request({
        host: 'localhost',
        family: 4,
        port,
        path,
        headers,
        ca,
        agent: false,
      })
      outgoing.end()
      const [incoming] = await once(outgoing, 'response')
      return { status: incoming.statusCode as number, body: await text(incoming) }
    }

    before(async () => {
      const program = proxy.program()
      gateway = await startGatewayProcess({ 'gateway.trusted_proxies': '[127.0.0.1]' })
      await gateway.post('/api_specs', document)
      folder = mkdtempSync(join(tmpdir(), 'gateway-proxy-'))
      mkdirSync(join(folder, 'home'))
      const certificate = writeCertificate(folder)
      ca = readFileSync(certificate.cert, 'utf8')
      port = await freePort()
      file = join(folder, 'configuration')
      const upstream = new URL(gateway.url).host
      writeFileSync(file, proxy.configuration({ port, upstream, certificate, folder }))
      child = spawn(program, proxy.serve(file), {
        env: { PATH: process.env.PATH, HOME: join(folder, 'home') },
        stdio: 'ignore',
      })
      await until(
        'the proxy listens',
        () =>
          ask('/').then(
            () => true,
            () => false,
          ),
        20_000,
      )
    })

    after(async () => {
      if (child?.exitCode === null) {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
      await gateway?.kill()
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    })

    it('accepts the configuration', async () => {
      const environment = { HOME: join(folder, 'home') }
      const { code, stderr } = await run(proxy.program(), proxy.check(file), folder, environment)
      expect(code, stderr).to.equal(0)
    })

    it('tells the gateway of its client, whatever the client says', async () => {
      const { status, body } = await ask('/client/seen', forged)
      expect(status).to.equal(200)
      const { peer, ...rest } = JSON.parse(body)
      expect(rest).to.deep.equal({ scheme: 'https', host: 'localhost' })
      expect(peer).to.match(/^127\.0\.0\.1:/)
    })

    it('passes WAMP sessions at /ws', async () => {
      const [code] = await hello(`wss://localhost:${port}/ws`, 'com.example.test', { ca })
      expect(code).to.equal(2)
    })

    it('reaches no management, health or metrics', async () => {
      for (const path of ['/api_specs', '/realms', '/ready', '/metrics']) {
        expect((await ask(path)).status, path).to.equal(404)
      }
    })
  })
}
