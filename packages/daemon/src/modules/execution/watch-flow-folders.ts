import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { matchesGlob, resolve } from 'node:path'
import { type FlowSource, reasonOf, sourcesOf } from '@steward/contract'
import {
  coalesce,
  expandTilde,
  isInside,
  type StartTimer,
  type WatchFolder,
} from '@steward/platform'
import type { LoadedFlow, LocalRuntime } from '@steward/runner'
import type { Log } from '../../log/log.ts'

interface Ports {
  runtime: () => LocalRuntime
  /** Runs a flow once, after another run of it has ended. */
  run: (flow: string) => Promise<void>
  watchFolder: WatchFolder
  log: Log
  setTimer: StartTimer
}

export interface FolderWatcher {
  start: () => void
  stop: () => void
}

/** How soon new flows, and folders that were created later, are watched. */
const LOOK_EVERY_MS = 10_000
/** Programs write a file in several steps. */
const QUIET_MS = 300

/**
 * Runs flows with a folder source when a file in it changes. The ledger knows which files are new,
 * so a missed or repeated event changes nothing: the schedule of the flow still looks at intervals.
 */
export const createFolderWatcher = (ports: Ports): FolderWatcher => {
  const { runtime, run, watchFolder, log, setTimer } = ports
  /** Stops each watch, by flow, folder and pattern. */
  const watches = new Map<string, () => void>()
  let stopTimer: (() => void) | undefined
  let isStopped = false

  const watch = (key: string, { flow, folder, glob }: WatchedFolder): void => {
    let stopQuiet: (() => void) | undefined
    const runSoon = coalesce(() =>
      run(flow).catch((thrown: unknown) => {
        if (!isStopped) log.warn(`execution: ${flow} failed after a change: ${reasonOf(thrown)}`)
      }),
    )
    const onChange = (name: string | null): void => {
      const path = name?.replaceAll('\\', '/')
      if (path !== undefined && (isHidden(path) || !matchesGlob(path, glob))) return
      stopQuiet?.()
      stopQuiet = setTimer(QUIET_MS, () => void runSoon())
    }
    const forget = () => {
      stopQuiet?.()
      watches.delete(key)
    }
    const unwatch = watchFolder(folder, { onChange, onEnd: forget })
    // A folder that cannot be watched is not tried again: the schedule reads it.
    watches.set(key, unwatch ?? (() => undefined))
  }

  const look = (): void => {
    try {
      const wanted = new Map(watchedFolders(runtime()).map((each) => [keyOf(each), each]))
      for (const [key, unwatch] of watches) {
        if (wanted.has(key)) continue
        watches.delete(key)
        unwatch()
      }
      for (const [key, each] of wanted) {
        if (!watches.has(key) && existsSync(each.folder)) watch(key, each)
      }
    } catch (thrown) {
      log.warn(`execution: folders of flows cannot be watched: ${reasonOf(thrown)}`)
    }
    stopTimer = setTimer(LOOK_EVERY_MS, look)
  }

  return {
    start: look,
    stop: () => {
      isStopped = true
      stopTimer?.()
      for (const unwatch of [...watches.values()]) unwatch()
      watches.clear()
    },
  }
}

interface WatchedFolder {
  flow: string
  folder: string
  glob: string
}

const keyOf = ({ flow, folder, glob }: WatchedFolder): string => `${flow}\n${folder}\n${glob}`

const isHidden = (path: string): boolean => path.split('/').some((part) => part.startsWith('.'))

/** Flows of intervals only: others have a time at which they should run, or collect items for it. */
const watchedFolders = ({ catalog, home }: LocalRuntime): WatchedFolder[] =>
  catalog.flows.all().flatMap(({ flow, folder }: LoadedFlow) => {
    const { enabled, runsOn, every, intervalMinutes } = flow.schedule
    const isOften = every !== undefined || intervalMinutes !== undefined
    if (!enabled || runsOn !== 'here' || !isOften || flow.digest !== undefined) return []
    return sourcesOf(flow)
      .filter(isFolder)
      .map(({ path, glob }) => ({
        flow: flow.name,
        folder: resolve(folder, expandTilde(path, homedir())),
        glob,
      }))
      .filter((each) => !isInside(each.folder, home.output) && !isInside(home.output, each.folder))
  })

const isFolder = (source: FlowSource): source is Extract<FlowSource, { type: 'folder' }> =>
  source.type === 'folder'
