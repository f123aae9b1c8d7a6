import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ArchivePlace,
  archiveAt,
  createWiki,
  type LoadedArchive,
  listSources,
  loadArchive,
  loadDocuments,
  openSearchIndex,
  type Wiki,
  type WikiSource,
} from '@steward/knowledge'
import { IN_MEMORY } from '@steward/platform'
import type { StewardMcpPorts } from '../ports.ts'

/**
 * Notes and documents of a data home, refreshed at each use, because other processes write them
 * too.
 */
export interface Archive {
  place: ArchivePlace
  /** The notes; changed files are read again. */
  loadNotes: () => Promise<LoadedArchive>
  /** Notes and documents with their index, which is updated at each use. */
  loadWiki: () => Promise<{ wiki: Wiki; notes: LoadedArchive }>
}

type ArchivePorts = Pick<
  StewardMcpPorts,
  'home' | 'now' | 'settings' | 'places' | 'generated' | 'log'
>

/** The index that a daemon or a command has made; reading makes no file, so without one it is in memory. */
const indexFileOf = ({ databases }: StewardMcpPorts['home']): string => {
  const stored = join(databases, 'search.sqlite')
  return existsSync(stored) ? stored : IN_MEMORY
}

export const openArchive = (ports: ArchivePorts): Archive => {
  const { home, places, settings } = ports
  const place = archiveAt(home)
  const notes = loadArchive(place.root)
  let sources: readonly WikiSource[] = []
  let wiki: Wiki | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const openWiki = (): Wiki => {
    const { warn } = ports.log
    const index = openSearchIndex({ file: indexFileOf(home), now: ports.now, warn })
    const { generated } = ports
    const documents = loadDocuments({ sources: () => sources, generated, index })
    return createWiki({ documents, index, archive: { root: place.root, loaded: notes }, warn })
  }
  const refresh = async () => {
    await notes.refresh()
    sources = listSources({ ...places, home, settings: await settings() })
    wiki ??= openWiki()
    await wiki.documents.refresh()
    await wiki.indexNotes()
    return { wiki, notes }
  }
  return {
    place,
    loadNotes: async () => {
      await notes.refresh()
      return notes
    },
    loadWiki: () => {
      // One after the other, whether or not the previous one succeeded.
      const next = turn.then(refresh, refresh)
      turn = next
      return next
    },
  }
}
