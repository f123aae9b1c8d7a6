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
import type { StewardMcpPorts } from '../ports.ts'

/** Notes and documents of a data home, looked at again at each use: others write them too. */
export interface Archive {
  place: ArchivePlace
  /** The notes; files that changed since are read. */
  loadNotes: () => Promise<LoadedArchive>
  /** Notes and documents with their index, which is made at the first use. */
  loadWiki: () => Promise<{ wiki: Wiki; notes: LoadedArchive }>
}

type ArchivePorts = Pick<StewardMcpPorts, 'home' | 'now' | 'settings' | 'places' | 'log'>

/** The index is in memory: reading makes no file, and the daemon's index stays its own. */
const IN_MEMORY = ':memory:'

export const openArchive = (ports: ArchivePorts): Archive => {
  const { home, places, settings } = ports
  const place = archiveAt(home)
  const notes = loadArchive(place.root)
  let sources: readonly WikiSource[] = []
  let wiki: Wiki | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const openWiki = (): Wiki => {
    const { warn } = ports.log
    const index = openSearchIndex({ file: IN_MEMORY, now: ports.now, warn })
    const documents = loadDocuments({ sources: () => sources, generated: () => [], index })
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
      // One after the other, whether or not the one before went well.
      const next = turn.then(refresh, refresh)
      turn = next
      return next
    },
  }
}
