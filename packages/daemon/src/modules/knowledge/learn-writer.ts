import { statSync } from 'node:fs'
import { join } from 'node:path'
import { reasonOf, type WorkState } from '@steward/contract'
import {
  type LoadedArchive,
  learnedSessions,
  learnFromWork,
  type NoteChange,
} from '@steward/knowledge'
import type { Home, Redactor } from '@steward/platform'
import type { Log } from '../../log/log.ts'

export interface LearnWriterPorts {
  home: Home
  loaded: LoadedArchive
  log: Log
  now: () => Date
  redactor: () => Redactor
  publish: (changes: readonly NoteChange[]) => void
}

export interface LearnWriter {
  /** Turns the learnings in specifications into notes for sessions that reached LEARN or later. */
  take: (state: WorkState) => void
  settled: () => Promise<void>
  faults: () => readonly string[]
}

/** Writes the notes of the LEARN phase. Each version of a specification is processed once. */
export const createLearnWriter = (ports: LearnWriterPorts): LearnWriter => {
  const { home, loaded, log, now, redactor, publish } = ports
  const seen = new Map<string, string>()
  const faults = new Map<string, string>()
  let turn: Promise<void> = Promise.resolve()

  const learn = async (specification: string): Promise<void> => {
    try {
      const learned = await learnFromWork(
        { home, loaded, redactor: redactor(), now },
        specification,
      )
      faults.delete(specification)
      for (const { outcome, file } of learned) {
        if (outcome === 'written' || outcome === 'updated')
          log.info(`knowledge: ${outcome} ${file}`)
      }
      if (learned.some(({ outcome }) => outcome !== 'known')) publish(await loaded.refresh())
    } catch (thrown) {
      const reason = `the learnings of ${specification} cannot be saved: ${reasonOf(thrown)}`
      faults.set(specification, reason)
      log.error(`knowledge: ${reason}`)
    }
  }
  return {
    take: (state) => {
      for (const { specification } of learnedSessions(state)) {
        const found = statSync(join(home.memory, specification), {
          bigint: true,
          throwIfNoEntry: false,
        })
        const mark = found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeNs}`
        if (mark === '' || seen.get(specification) === mark) continue
        seen.set(specification, mark)
        turn = turn.then(() => learn(specification))
      }
    },
    settled: () => turn,
    faults: () => [...faults.values()],
  }
}
