import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { KNOWLEDGE_DOMAINS, type KnowledgeDomain, NOTE_SLUG, reasonOf } from '@steward/contract'
import { coalesce, type StartTimer, type WatchFolder } from '@steward/platform'
import { slugOfName } from '../files/list-note-files.ts'
import { keyOf, type NotePlace } from '../note-place.ts'
import type { LoadedArchive, NoteChange } from './load-archive.ts'

export interface FollowPorts {
  root: string
  archive: LoadedArchive
  setTimer: StartTimer
  watchFolder: WatchFolder
  onChanges: (changes: readonly NoteChange[]) => void
  /** Reports a read failure; undefined once it is resolved. */
  onFault: (fault: string | undefined) => void
}

export interface FollowedArchive {
  start: () => Promise<void>
  stop: () => Promise<void>
  /** Whether file watching works; otherwise the archive is polled about every second. */
  isWatched: () => boolean
}

/** An editor's save causes several events; they are handled as one. */
const SETTLE_MS = 50
/**
 * Poll intervals as a fallback for the watcher, and as its replacement: together with the settle
 * time, a save is seen within a second.
 */
const POLL_MS = { watched: 30_000, unwatched: 900 }

/** Keeps a loaded archive in sync with its files, whichever program writes them. */
export const followArchive = (ports: FollowPorts): FollowedArchive => {
  const { root, archive, setTimer, watchFolder, onChanges, onFault } = ports
  const watches = new Map<KnowledgeDomain, () => void>()
  const waiting = new Map<string, NotePlace>()
  let wantsAll = false
  let endTimer: (() => void) | undefined
  let endPoll: (() => void) | undefined
  let turn: Promise<void> = Promise.resolve()
  let running = false

  const lookNow = coalesce(async () => {
    const places = [...waiting.values()]
    const all = wantsAll
    waiting.clear()
    wantsAll = false
    try {
      const changes = all
        ? await archive.refresh()
        : places.flatMap((each) => archive.look(each) ?? [])
      onFault(undefined)
      if (changes.length > 0) onChanges(changes)
    } catch (thrown) {
      onFault(`the archive cannot be checked: ${reasonOf(thrown)}`)
    }
  })
  const schedule = (): void => {
    endTimer ??= setTimer(SETTLE_MS, () => {
      endTimer = undefined
      turn = lookNow()
    })
  }
  const recordChange = (domain: KnowledgeDomain, name: string | null): void => {
    const slug = name === null ? undefined : slugOfName(name)
    if (slug !== undefined && NOTE_SLUG.test(slug))
      waiting.set(keyOf({ domain, slug }), { domain, slug })
    else if (name === null || slug !== undefined) wantsAll = true
    else return
    schedule()
  }
  const watchAll = (): void => {
    for (const domain of KNOWLEDGE_DOMAINS) {
      if (watches.has(domain)) continue
      const end = watchFolder(join(root, domain), {
        onChange: (name) => recordChange(domain, name),
        onEnd: () => {
          watches.delete(domain)
          wantsAll = true
          if (running) schedule()
        },
      })
      if (end !== undefined) watches.set(domain, end)
    }
  }
  const isWatched = (): boolean => watches.size === KNOWLEDGE_DOMAINS.length
  const poll = (): void => {
    watchAll()
    wantsAll = true
    schedule()
    endPoll = setTimer(isWatched() ? POLL_MS.watched : POLL_MS.unwatched, poll)
  }

  return {
    isWatched,
    start: async () => {
      running = true
      for (const domain of KNOWLEDGE_DOMAINS) makeFolder(join(root, domain), onFault)
      watchAll()
      wantsAll = true
      await lookNow()
      endPoll = setTimer(isWatched() ? POLL_MS.watched : POLL_MS.unwatched, poll)
    },
    stop: async () => {
      running = false
      endTimer?.()
      endPoll?.()
      for (const end of [...watches.values()]) end()
      await turn
    },
  }
}

/** Only an existing folder can be watched; if it cannot be created, this is retried. */
const makeFolder = (folder: string, onFault: FollowPorts['onFault']): void => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (thrown) {
    onFault(`${folder} cannot be made: ${reasonOf(thrown)}`)
  }
}
