/** Refuses to start on a Node that cannot run the gateway. Plain JavaScript: an old Node must be able to read it. */
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `wamp-gateway requires Node 24.15 or later; this is Node ${process.versions.node}.\n` +
      'On Linux (x64, arm64) "npm ci" installs Node 26 for the scripts of this project: start it with "npm start".\n' +
      'On other systems, install a current Node and try again.\n',
  )
  process.exit(78)
}

await import('./short-start.mjs')
