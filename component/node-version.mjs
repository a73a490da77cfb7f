/** Refuses to start on a Node that cannot run the gateway. Plain JavaScript: an old Node must be able to read it. */
import { existsSync } from 'node:fs'

const { arch, execPath, platform, versions } = process
const [major, minor] = versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 15)) {
  // the compiled package has no sources
  const isClone = existsSync(new URL('embed.ts', import.meta.url))
  const isBrought = platform === 'linux' && (arch === 'x64' || arch === 'arm64')
  const ways = {
    clone: '"npm ci" installs Node 26 beside the one that is there, and "npm start" uses it.',
    package: `"npm install node-linux-${arch}@26" installs one beside it, which "npx wamp-gateway" in that folder uses.`,
    none: 'Install a current Node and try again.',
  }
  process.stderr.write(
    `wamp-gateway requires Node 24.15 or later; this is Node ${versions.node} (${execPath}).\n` +
      `${isBrought ? (isClone ? ways.clone : ways.package) : ways.none}\n`,
  )
  process.exit(78)
}

await import('./short-start.mjs')
