/** Certificates in the folders of those who renew them: certbot, and the Secrets of Kubernetes. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CertificateFiles } from '#component/config/tls-files.ts'
import type { IssuedPair } from './authority.ts'

/** A place where certificates are renewed. */
export interface Renewals extends CertificateFiles {
  /** Puts the next certificate in the place of the last one. */
  renew(pair: IssuedPair): void
}

/** Makes a link, or turns the one that is there elsewhere at once. */
function link(target: string, path: string): void {
  symlinkSync(target, `${path}.new`)
  renameSync(`${path}.new`, path)
}

/** As certbot does it: each renewal has files of its own in `archive`, and the links in `live` are switched one after the other. */
export function certbotFolder(folder: string, name: string): Renewals {
  const [live, archive] = [join(folder, 'live', name), join(folder, 'archive', name)]
  for (const path of [live, archive]) mkdirSync(path, { recursive: true })
  let count = 0
  return {
    ...{ cert: join(live, 'fullchain.pem'), key: join(live, 'privkey.pem') },
    renew({ cert, key }) {
      count += 1
      const files = [
        [`privkey${count}.pem`, key],
        [`fullchain${count}.pem`, cert],
      ] as const
      for (const [file, text] of files) {
        writeFileSync(join(archive, file), text)
        link(join('..', '..', 'archive', name, file), join(live, file.replace(/\d+/, '')))
      }
    },
  }
}

/** As the kubelet does it: a folder of its own for each version of the Secret, and one link that is switched. */
export function secretFolder(folder: string): Renewals {
  mkdirSync(folder, { recursive: true })
  let count = 0
  return {
    ...{ cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') },
    renew({ cert, key }) {
      count += 1
      const version = `..${count}`
      mkdirSync(join(folder, version))
      writeFileSync(join(folder, version, 'tls.crt'), cert)
      writeFileSync(join(folder, version, 'tls.key'), key)
      link(version, join(folder, '..data'))
      if (count > 1) rmSync(join(folder, `..${count - 1}`), { recursive: true })
      else for (const file of ['tls.crt', 'tls.key']) link(join('..data', file), join(folder, file))
    },
  }
}
