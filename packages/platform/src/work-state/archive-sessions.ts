import { join } from 'node:path'
import type { Result } from '@steward/contract'
import { appendJsonLine } from '../files/append-json-line.ts'
import type { Home } from '../home/home.ts'
import { formatMoment } from './moments.ts'
import { pruneSessions } from './prune-sessions.ts'
import { updateWorkState, type WorkStatePorts, type WorkStateUpdate } from './work-state-file.ts'

/** Sessions that left `work.json`, a line each: `{archivedAt, slug, entry}`. */
export const workArchivePath = (home: Pick<Home, 'stateDir'>): string =>
  join(home.stateDir, 'work-archive.jsonl')

/**
 * Moves what is over out of `work.json`. The archive is on disk before the file is replaced: a crash
 * between the two leaves a line twice, never a session nowhere.
 */
export const archiveSessions = (
  home: Pick<Home, 'stateDir' | 'workState'>,
  ports: WorkStatePorts,
): Promise<Result<WorkStateUpdate<{ archived: string[] }>>> =>
  updateWorkState(
    home,
    async (state, nowMs) => {
      const { state: next, outcome } = pruneSessions(state, nowMs)
      for (const { slug, entry } of outcome) {
        const line = { archivedAt: formatMoment(nowMs), slug, entry }
        await appendJsonLine(workArchivePath(home), line, { durable: true })
      }
      return { state: next, outcome: { archived: outcome.map(({ slug }) => slug) } }
    },
    ports,
  )
