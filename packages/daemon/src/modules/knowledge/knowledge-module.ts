import type { ModuleHealth } from '@steward/contract'
import {
  archiveAt,
  followArchive,
  type LoadedArchive,
  loadArchive,
  type NoteChange,
} from '@steward/knowledge'
import type { Home, Redactor, StartTimer, WatchFolder } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import type { DaemonModule } from '../../module.ts'
import { createArchiveHandlers, type FindNotes } from './archive-handlers.ts'
import { createLearnWriter } from './learn-writer.ts'
import { createNoteHandlers } from './note-handlers.ts'

export interface KnowledgeModulePorts {
  home: Home
  bus: Bus
  log: Log
  now: () => number
  setTimer: StartTimer
  watchFolder: WatchFolder
  /** The archive in memory, if shared with other modules. */
  loaded?: LoadedArchive
  findNotes: FindNotes
  redactor: () => Redactor
}

/** Knowledge: the archive of notes, followed on disk, and the notes that the LEARN phase adds. */
export const createKnowledgeModule = (ports: KnowledgeModulePorts): DaemonModule => {
  const { home, bus, log, setTimer, watchFolder, redactor } = ports
  const archive = archiveAt(home)
  const loaded = ports.loaded ?? loadArchive(archive.root)
  const now = () => new Date(ports.now())
  const endings: Array<() => void> = []
  let fault: string | undefined

  const publish = (changes: readonly NoteChange[]): void => {
    if (changes.length > 0) bus.publish('knowledge.changed', { changes })
  }
  const followed = followArchive({
    root: archive.root,
    archive: loaded,
    setTimer,
    watchFolder,
    onChanges: publish,
    onFault: (found) => {
      if (found !== undefined && found !== fault) log.error(`knowledge: ${found}`)
      fault = found
    },
  })
  const writer = createLearnWriter({ home, loaded, log, now, redactor, publish })

  return {
    name: 'knowledge',
    handlers: [
      ...createArchiveHandlers(archive, loaded, ports.findNotes),
      ...createNoteHandlers({ archive, loaded, now, publish }),
    ],
    start: async () => {
      endings.push(bus.subscribe('work-state.changed', ({ state }) => writer.take(state)))
      await followed.start()
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
      await followed.stop()
      await writer.settled()
    },
    health: (): ModuleHealth => {
      const reasons = [...(fault === undefined ? [] : [fault]), ...writer.faults()]
      return {
        status: reasons.length === 0 ? 'ok' : 'degraded',
        ...(reasons.length === 0 ? {} : { reasons }),
        notes: loaded.index.notes().length,
        problems: loaded.problems().length,
        watched: followed.isWatched(),
      }
    },
  }
}
