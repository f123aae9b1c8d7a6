import { join } from 'node:path'
import type { Result } from '@steward/contract'
import { appendJsonLine } from '../files/append-json-line.ts'
import { withVersion } from '../files/file-version.ts'
import type { Home } from '../home/home.ts'
import { formatMoment } from './moments.ts'
import { pruneSessions } from './prune-sessions.ts'
import { updateWorkState, type WorkStatePorts, type WorkStateUpdate } from './work-state-file.ts'

/** Sessions removed from `work.json`, one per line: `{archivedAt, slug, entry}`. */
export const workArchivePath = (home: Pick<Home, 'stateDir'>): string =>
  join(home.stateDir, 'work-archive.jsonl')

/**
 * Moves finished sessions out of `work.json`. The archive is written before the file is replaced: a
 * crash in between duplicates a line but loses no session.
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
        const line = withVersion({ archivedAt: formatMoment(nowMs), slug, entry })
        await appendJsonLine(workArchivePath(home), line, { durable: true })
      }
      return { state: next, outcome: { archived: outcome.map(({ slug }) => slug) } }
    },
    ports,
  )
