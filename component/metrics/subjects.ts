/** What series belong to, by version: routes, and procedures, topics and other texts. */
import type { ServedVersion } from './place.ts'
import type { Subject } from './series.ts'

/** What a version has series for. */
export interface VersionSubjects {
  readonly version: ServedVersion
  readonly routes: Map<string, Subject>
  /** Procedures, topics and so on. */
  readonly texts: Map<string, Subject>
  /** The last sweep that has found it served. */
  seen: number
}

/** All subjects of a process. */
export class Subjects {
  /** By id of the document and key of the version. */
  readonly #apis = new Map<string, Map<string, VersionSubjects>>()

  /** What a version has; undefined: no series. */
  of({ api, label }: ServedVersion): VersionSubjects | undefined {
    return this.#apis.get(api)?.get(label)
  }

  /** The versions that have series. */
  *all(): Generator<VersionSubjects> {
    for (const labels of this.#apis.values()) yield* labels.values()
  }

  find(version: ServedVersion, isRoute: boolean, text: string): Subject | undefined {
    const found = this.of(version)
    return (isRoute ? found?.routes : found?.texts)?.get(text)
  }

  /** @param seen the sweep that has found a new subject served */
  findOrAdd(version: ServedVersion, isRoute: boolean, text: string, seen: number): Subject {
    const found = this.of(version) ?? this.#add(version, seen)
    const subjects = isRoute ? found.routes : found.texts
    const known = subjects.get(text)
    if (known) return known
    const subject: Subject = {
      version: found.version,
      text,
      series: undefined,
      seen,
      isOver: false,
    }
    subjects.set(text, subject)
    return subject
  }

  remove({ api, label }: ServedVersion): void {
    const labels = this.#apis.get(api)
    labels?.delete(label)
    if (labels?.size === 0) this.#apis.delete(api)
  }

  #add({ api, label }: ServedVersion, seen: number): VersionSubjects {
    const labels = this.#apis.get(api) ?? new Map<string, VersionSubjects>()
    const added: VersionSubjects = {
      version: { api, label },
      routes: new Map(),
      texts: new Map(),
      seen,
    }
    labels.set(label, added)
    this.#apis.set(api, labels)
    return added
  }
}
