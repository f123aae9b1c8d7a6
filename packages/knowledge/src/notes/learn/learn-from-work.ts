import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { reasonOf, StewardError, unwrap } from '@steward/contract'
import {
  type Home,
  locateSpecification,
  parseSpecification,
  type Redactor,
  updateStateFile,
} from '@steward/platform'
import { archiveAt, withArchiveLock } from '../files/archive-place.ts'
import { writeLastHarvest } from '../harvest.ts'
import type { LoadedArchive } from '../index/load-archive.ts'
import { fileOf } from '../note-place.ts'
import { findLearnings, type Learning } from './find-learnings.ts'
import { ledger } from './ledger.ts'
import { writeLearning } from './write-learning.ts'

/** `written` anew, `updated` after the specification, `kept` because a person changed or removed it, `known` as it is. */
export interface Learned {
  outcome: 'written' | 'updated' | 'kept' | 'known'
  file: string
  title: string
  source: string
}

export interface LearnPorts {
  home: Pick<Home, 'knowledge' | 'databases' | 'memory' | 'work' | 'stateDir'>
  loaded: LoadedArchive
  redactor: Pick<Redactor, 'redactText'>
  now: () => Date
}

/**
 * Takes what a specification says was learned into the archive: one note each, once, with where it
 * comes from. What a person changed, moved or threw away since stays so. `stored` is the
 * specification's path from `MEMORY` on.
 */
export const learnFromWork = async (ports: LearnPorts, stored: string): Promise<Learned[]> => {
  const { home, loaded, now } = ports
  const learnings = readLearnings(ports, stored)
  if (learnings.length === 0) return []
  const archive = archiveAt(home)
  const outcomes: Learned[] = []
  const path = join(home.stateDir, 'knowledge-learned.json')
  unwrap(
    await updateStateFile(path, ledger, {}, async (current) => {
      const next = { ...current }
      for (const learning of learnings) {
        const source = `${stored}#${learning.id}`
        const hash = createHash('sha256')
          .update(`${learning.title}\n${learning.body}`)
          .digest('hex')
        const known = Object.hasOwn(current, source) ? current[source] : undefined
        if (known?.hash === hash) {
          outcomes.push({ outcome: 'known', file: known.file, title: learning.title, source })
          continue
        }
        const written = await writeLearning(archive, loaded, { ...learning, source }, known, now)
        const file = fileOf(written.place)
        next[source] = { hash, file, etag: written.etag }
        outcomes.push({ outcome: written.outcome, file, title: learning.title, source })
      }
      if (outcomes.every(({ outcome }) => outcome === 'known')) return current
      // Before it is recorded: whoever is killed here does it again.
      await withArchiveLock(archive, () => writeLastHarvest(archive.root, now()))
      return next
    }),
  )
  return outcomes
}

const readLearnings = ({ home, redactor }: LearnPorts, stored: string): Learning[] => {
  const place = locateSpecification(home, join(home.memory, stored))
  if (place === undefined) {
    const reason = 'it is no specification: MEMORY/WORK/<slug>/SPEC.md is one'
    throw new StewardError('invalid_input', { subject: stored, reason })
  }
  let text: string
  try {
    text = readFileSync(place.path, 'utf8')
  } catch (thrown) {
    throw new StewardError('not_found', {
      what: 'specification',
      name: stored,
      hint: `: ${reasonOf(thrown)}`,
    })
  }
  const { task } = parseSpecification(text)
  return findLearnings(redactor.redactText(text).value, task ?? place.folder)
}
