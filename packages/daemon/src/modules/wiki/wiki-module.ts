import { join } from 'node:path'
import { describeHookPages } from '@steward/assistants'
import { type ModuleHealth, reasonOf, type Settings, StewardError } from '@steward/contract'
import {
  createLargeIndexing,
  createWiki,
  type FollowedDocuments,
  followDocuments,
  type LoadedArchive,
  listSources,
  loadDocuments,
  openSearchIndex,
  renderLarge,
  type SearchIndex,
  type Wiki,
} from '@steward/knowledge'
import { coalesce, type Home, type StartTimer, type WatchFolder } from '@steward/platform'
import type { Bus, NoteChange } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import type { DaemonModule } from '../../module.ts'
import { createSkillHandlers } from './skill-handlers.ts'
import { createWikiHandlers } from './wiki-handlers.ts'

export interface WikiModulePorts {
  home: Home
  /** The location of Steward's own documents, skills and library. */
  installation: string
  homedir: string
  processEnvironment: Readonly<Record<string, string | undefined>>
  /** The notes, kept up to date by the knowledge module. */
  archive: LoadedArchive
  bus: Bus
  log: Log
  now: () => number
  setTimer: StartTimer
  watchFolder: WatchFolder
  settings: () => Settings
}

export interface WikiModule extends DaemonModule {
  /** Keys of matching notes, best first; incomplete while indexing. */
  findNotes: (query: string, limit: number) => Promise<{ keys: string[]; isIndexing: boolean }>
}

/** Up to this many changed notes are indexed one by one; short ones before a save is answered. */
const AT_ONCE = 50

/** The wiki: one index of local documents and notes, followed on disk. */
export const createWikiModule = (ports: WikiModulePorts): WikiModule => {
  const { home, homedir, archive, bus, log, now, setTimer, watchFolder, settings } = ports
  const endings: Array<() => void> = []
  let opened: { wiki: Wiki; index: SearchIndex; followed: FollowedDocuments } | undefined
  let areNotesIndexed = false
  let areDocumentsIndexed = false
  let indexedAt: string | null = null
  const faults = new Map<'documents' | 'notes', string>()
  let notesIndexed: Promise<void> = Promise.resolve()
  let documentsLoaded: Promise<void> = Promise.resolve()
  const changesIndexed = new Set<Promise<void>>()

  const tell = (): void => {
    indexedAt = new Date(now()).toISOString()
    bus.publish('live.changed', { topics: ['wiki'] })
  }
  const note = (what: 'documents' | 'notes', fault: string | undefined): void => {
    if (fault !== undefined && fault !== faults.get(what)) log.error(`wiki: ${fault}`)
    if (fault === undefined) faults.delete(what)
    else faults.set(what, fault)
  }
  const indexAllNotes = coalesce(async () => {
    try {
      await opened?.wiki.indexNotes()
      areNotesIndexed = true
      note('notes', undefined)
      tell()
    } catch (thrown) {
      note('notes', `notes cannot be indexed: ${reasonOf(thrown)}`)
    }
  })
  const indexNotes = (): void => {
    // The index may be reset during an operation on it; indexing starts after that.
    notesIndexed = Promise.resolve().then(indexAllNotes)
  }
  const takeChanges = (changes: readonly NoteChange[]): void => {
    if (changes.length > AT_ONCE || !areNotesIndexed) {
      indexNotes()
      return
    }
    const indexed = indexChanges(changes)
    changesIndexed.add(indexed)
    void indexed.then(() => changesIndexed.delete(indexed))
  }
  const indexChanges = async (changes: readonly NoteChange[]): Promise<void> => {
    try {
      await opened?.wiki.takeNoteChanges(changes)
      note('notes', undefined)
      tell()
    } catch (thrown) {
      // Compares everything to find missed changes.
      areNotesIndexed = false
      note('notes', `notes cannot be indexed: ${reasonOf(thrown)}`)
    }
  }
  const open = () => {
    const large = createLargeIndexing()
    const index = openSearchIndex({
      file: join(home.databases, 'search.sqlite'),
      now,
      warn: log.error,
      large,
      onReset: () => {
        documents.forgetMarks()
        areNotesIndexed = false
        indexNotes()
        followed.lookAgain()
      },
    })
    const sources = () =>
      listSources({
        installation: ports.installation,
        home,
        homedir,
        env: ports.processEnvironment,
        settings: settings(),
      })
    const documents = loadDocuments({ sources, generated: describeHookPages, index, large })
    const followed = followDocuments({
      documents,
      sources,
      setTimer,
      watchFolder,
      onChange: tell,
      onFault: (fault) => note('documents', fault),
    })
    const wiki = createWiki({
      documents,
      index,
      archive: { root: home.knowledge, loaded: archive },
      warn: log.warn,
      render: renderLarge,
    })
    return { wiki, index, followed }
  }
  const openedWiki = (): Wiki => {
    if (opened !== undefined) return opened.wiki
    throw new StewardError('module_failed', { module: 'wiki', reason: 'it is not started' })
  }
  const areNotesComplete = (): boolean => areNotesIndexed && changesIndexed.size === 0
  const isIndexing = (): boolean => !areNotesComplete() || !areDocumentsIndexed

  return {
    name: 'wiki',
    handlers: [
      ...createSkillHandlers({ wiki: openedWiki, now }),
      ...createWikiHandlers({
        wiki: openedWiki,
        archive,
        isIndexing,
        lastIndexedAt: () => indexedAt,
      }),
    ],
    findNotes: async (query, limit) => ({
      keys: await openedWiki().findNotes(query, limit),
      isIndexing: !areNotesComplete(),
    }),
    start: async () => {
      opened = open()
      const { followed } = opened
      endings.push(bus.subscribe('knowledge.changed', ({ changes }) => takeChanges(changes)))
      endings.push(bus.subscribe('settings.changed', () => followed.lookAgain()))
      indexNotes()
      // Not awaited, because thousands of new documents take seconds.
      documentsLoaded = followed.start().then(() => {
        areDocumentsIndexed = true
      })
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
      await opened?.followed.stop()
      await documentsLoaded
      await notesIndexed
      await Promise.all(changesIndexed)
      opened?.index.close()
    },
    health: (): ModuleHealth => ({
      status: faults.size === 0 ? 'ok' : 'degraded',
      ...(faults.size === 0 ? {} : { reasons: [...faults.values()] }),
      documents: opened?.wiki.documents.catalog.size() ?? 0,
      findings: opened?.wiki.documents.findings().length ?? 0,
      indexing: isIndexing(),
    }),
  }
}
