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

/**
 * `written`: new. `updated`: the specification changed. `kept`: a person changed or removed it.
 * `known`: unchanged.
 */
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
 * Adds the learnings of a specification to the archive: one note each, once, with its source.
 * Changes that a person made since, including moving or deleting, are kept. `stored` is the
 * specification's path relative to `MEMORY`.
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
      // Written before the ledger, so that a kill in between only repeats it.
      await withArchiveLock(archive, () => writeLastHarvest(archive.root, now()))
      return next
    }),
  )
  return outcomes
}

const readLearnings = ({ home, redactor }: LearnPorts, stored: string): Learning[] => {
  const place = locateSpecification(home, join(home.memory, stored))
  if (place === undefined) {
    const reason = 'it is not a specification such as MEMORY/WORK/<slug>/SPEC.md'
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
