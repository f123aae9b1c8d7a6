import { existsSync } from 'node:fs'
import { reasonOf } from '@steward/contract'
import { coalesce, type StartTimer, type WatchFolder } from '@steward/platform'
import type { LoadedDocuments } from './load-documents.ts'
import type { WikiSource } from './wiki-source.ts'

export interface FollowDocumentsPorts {
  documents: LoadedDocuments
  sources: () => readonly WikiSource[]
  setTimer: StartTimer
  watchFolder: WatchFolder
  onChange: () => void
  /** Reports a read failure; undefined once it is resolved. */
  onFault: (fault: string | undefined) => void
}

export interface FollowedDocuments {
  start: () => Promise<void>
  stop: () => Promise<void>
  /** Checks everything again, because the configured folders may have changed. */
  lookAgain: () => void
}

/** An editor's save causes several events; they are handled as one. */
const SETTLE_MS = 50
/**
 * Poll interval for folders that are not watched or do not exist yet: together with the settle
 * time, a save is seen within a second.
 */
const POLL_MS = 900
/** Fallback for missed watcher events. */
const FULL_POLLS = 60
const MOST_WATCHES = 4000

/** Keeps loaded documents in sync with their files, whichever program writes them. */
export const followDocuments = (ports: FollowDocumentsPorts): FollowedDocuments => {
  const { documents, sources, setTimer, watchFolder, onChange, onFault } = ports
  const watches = new Map<string, { end: () => void; source: string }>()
  const waiting = new Set<string>()
  let wantsAll = false
  let polls = 0
  let endTimer: (() => void) | undefined
  let endPoll: (() => void) | undefined
  let turn: Promise<void> = Promise.resolve()
  let running = false

  const lookNow = coalesce(async () => {
    const keys = wantsAll ? undefined : [...waiting]
    waiting.clear()
    wantsAll = false
    try {
      let isChanged = false
      if (keys === undefined) isChanged = await documents.refresh()
      for (const key of keys ?? []) isChanged = (await documents.refreshSource(key)) || isChanged
      onFault(undefined)
      if (isChanged) onChange()
    } catch (thrown) {
      onFault(`documents cannot be checked: ${reasonOf(thrown)}`)
    }
    if (running) watchAll()
  })
  const schedule = (key?: string): void => {
    if (key === undefined) wantsAll = true
    else waiting.add(key)
    endTimer ??= setTimer(SETTLE_MS, () => {
      endTimer = undefined
      turn = lookNow()
    })
  }
  const watchAll = (): void => {
    const wanted = new Map<string, string>()
    for (const { key } of sources()) {
      for (const folder of documents.foldersOf(key)) wanted.set(folder, key)
    }
    for (const [folder, { end }] of watches) if (!wanted.has(folder)) end()
    for (const [folder, source] of wanted) {
      if (watches.has(folder) || watches.size >= MOST_WATCHES) continue
      const end = watchFolder(folder, {
        onChange: () => schedule(source),
        onEnd: () => {
          watches.delete(folder)
          if (running) schedule(source)
        },
      })
      if (end !== undefined) watches.set(folder, { end, source })
    }
  }
  const needsLook = ({ key, root }: WikiSource): boolean => {
    const folders = documents.foldersOf(key)
    return folders.length === 0 ? existsSync(root) : folders.some((each) => !watches.has(each))
  }
  const poll = (): void => {
    polls++
    if (polls % FULL_POLLS === 0) schedule()
    else for (const source of sources().filter(needsLook)) schedule(source.key)
    endPoll = setTimer(POLL_MS, poll)
  }

  return {
    start: async () => {
      running = true
      wantsAll = true
      turn = lookNow()
      await turn
      if (running) endPoll = setTimer(POLL_MS, poll)
    },
    stop: async () => {
      running = false
      endTimer?.()
      endPoll?.()
      for (const { end } of [...watches.values()]) end()
      await turn
    },
    lookAgain: () => schedule(),
  }
}
